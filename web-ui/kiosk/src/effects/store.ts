/** Holds the machine's state, feeds it events one by one and carries out what it asks. */
import { keep, step } from '../machine/machine.ts';
import type { Command, Event, State } from '../machine/model.ts';
import type { Answer, Api } from './api.ts';
import type { Memory } from './memory.ts';

/** What the store needs of the outside. */
export interface Outside {
  api: Api;
  memory: Memory;
  now: () => number;
  /** Waits; used only between bounded attempts. */
  pause: (ms: number) => Promise<void>;
  reload: () => void;
}

/** The running kiosk. */
export interface Kiosk {
  state(): State;
  send(event: Event): void;
  /** Calls back after each change; answers the way to stop. */
  listen(hear: (state: State) => void): () => void;
}

/** Pauses between attempts while the server says "not now", and between attempts to close a session. */
const attemptPauses = [1_000, 2_000, 4_000, 8_000];

/** Starts the machine. */
export function run(outside: Outside, initial: State): Kiosk {
  let state = initial;
  let stopUpload = new AbortController();
  const hearers = new Set<(state: State) => void>();
  const waiting: Event[] = [];
  let working = false;

  function send(event: Event): void {
    waiting.push(event);
    if (working) return;
    working = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) take(next);
    working = false;
  }

  function take(event: Event): void {
    const before = state;
    const taken = step(state, event, outside.now());
    state = taken.state;
    const kept = keep(state);
    if (JSON.stringify(kept) !== JSON.stringify(keep(before))) outside.memory.setKept(kept);
    for (const command of taken.commands) {
      if (command.type === 'upload' || command.type === 'stop_upload') {
        stopUpload.abort();
        stopUpload = new AbortController();
      }
      void carryOut(outside, command, { state: () => state, send }, stopUpload.signal);
    }
    for (const hear of hearers) hear(state);
  }

  return {
    state: () => state,
    send,
    listen(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };
}

type Send = (event: Event) => void;

/** What is needed of the kiosk to ask about its session. */
export type Asking = Pick<Kiosk, 'state' | 'send'>;

/**
 * Asks where the session is. An answer that was overtaken by newer word (an event, a tap's answer) is old and says
 * nothing: the guest must not be pulled back a step by it.
 */
export async function look(api: Api, kiosk: Asking, token: string): Promise<void> {
  const known = kiosk.state().session;
  const answer = await api.session(token);
  const overtaken = kiosk.state().session !== known;
  tellAnswer(
    answer,
    kiosk.send,
    (session) => overtaken || kiosk.send({ type: 'session_changed', session }),
    (refusal) => refusal.code === 'unknown_session' && kiosk.send({ type: 'session_unknown', token }),
  );
}

/** One command of the machine; what comes of it comes back as an event. */
async function carryOut(outside: Outside, command: Command, kiosk: Asking, stop: AbortSignal): Promise<void> {
  const { api } = outside;
  const { send } = kiosk;
  switch (command.type) {
    case 'open_session':
      return tellAnswer(
        await patiently(outside, () => api.openSession(outside.memory.kiosk(), command.language)),
        send,
        (opened) => send({ type: 'session_opened', opened }),
        (refusal) => send({ type: 'start_refused', refusal }),
      );
    case 'look':
      return look(api, kiosk, command.token);
    case 'choose':
      return tellAnswer(
        await patiently(outside, () => api.choose(command.token, command.id)),
        send,
        (session) => send({ type: 'session_changed', session }),
        (refusal) => send({ type: 'outfit_refused', refusal }),
      );
    case 'upload':
      return upload(outside, command, send, stop);
    case 'expire':
      return expire(outside, command);
    case 'load_templates':
      return tellAnswer(await api.templates(), send, (templates) => send({ type: 'templates_loaded', templates }), () => {});
    case 'reload_page':
      return outside.reload();
    case 'stop_upload':
      return;
  }
}

/** Asks again a few times while the server says "not now"; after that it is a refusal with the neutral sentence. */
async function patiently<T>(outside: Outside, ask: () => Promise<Answer<T>>, stop?: AbortSignal): Promise<Answer<T>> {
  for (const pause of attemptPauses) {
    const answer = await ask();
    if (answer.is !== 'busy' || stop?.aborted === true) return answer;
    await outside.pause(pause);
  }
  return { is: 'refused', refusal: { code: 'try_again', notice: null, status: null } };
}

/** Turns an answer into events. Any answer at all proves that the network is there;
 * that is said last, so that what was waiting for the network is not asked for twice. */
export function tellAnswer<T>(
  answer: Answer<T>,
  send: Send,
  value: (value: T) => unknown,
  refused: (refusal: Extract<Answer<T>, { is: 'refused' }>['refusal']) => unknown,
): void {
  if (answer.is === 'lost') return send({ type: 'network_lost' });
  if (answer.is === 'value') value(answer.value);
  if (answer.is === 'refused') refused(answer.refusal);
  send({ type: 'network_back' });
}

/** Sends the photo. Without an answer the machine waits for the network and asks again; the session stays the same. */
async function upload(outside: Outside, command: Command & { type: 'upload' }, send: Send, stop: AbortSignal): Promise<void> {
  const moved = (share: number): void => {
    if (!stop.aborted) send({ type: 'upload_moved', share });
  };
  const answer = await patiently(outside, () => outside.api.upload(command.token, command.photo, moved, stop), stop);
  if (stop.aborted) return;
  tellAnswer(
    answer,
    send,
    (job) => send({ type: 'upload_accepted', job }),
    (refusal) => send({ type: 'upload_refused', refusal }),
  );
}

/** Closes a session; tried a few times, after that the server's own deadlines close it. */
async function expire(outside: Outside, command: Command & { type: 'expire' }): Promise<void> {
  for (const pause of attemptPauses) {
    const answer = await outside.api.expire(command.token, command.reason);
    if (answer.is === 'value' || answer.is === 'refused') return;
    await outside.pause(pause);
  }
}
