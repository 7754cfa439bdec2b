/** What the machine asks is carried out: patiently, a limited number of times, and never for a guest who left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Api } from './effects/api.ts';
import { remember } from './effects/memory.ts';
import { look, run, type Kiosk } from './effects/store.ts';
import { begin, type Event, type Job, type Session } from './machine/model.ts';

const job: Job = { status: 'queued', position: 1, eta_seconds: 60 };
const bare = { template_id: null, closed_reason: null, notice: null, first_name: null, language: null, job: null };
const session = (change: Partial<Session>): Session => ({ token: 'tok', status: 'idle', ...bare, ...change });
const photo = new Blob(['photo']);

/** A server that answers from lists, and counts. */
function server(answers: { upload?: Answer<Job>[]; expire?: Answer<null>[]; open?: 'ok' | 'busy' }) {
  const calls: string[] = [];
  const lost = async (): Promise<Answer<never>> => ({ is: 'lost' });
  const api: Api = {
    openSession: async () => {
      calls.push('open');
      if (answers.open === 'busy') return { is: 'busy' };
      return { is: 'value', value: { token: 'tok', deepLink: '', qrSvg: '<svg/>' } };
    },
    session: lost,
    choose: async (_, id) => {
      calls.push(`choose ${id}`);
      return { is: 'value', value: session({ status: 'template_chosen', template_id: id }) };
    },
    upload: async () => {
      calls.push('upload');
      return answers.upload?.shift() ?? { is: 'lost' };
    },
    face: async () => ({ is: 'unknown' }),
    expire: async (_, reason) => {
      calls.push(`expire ${reason}`);
      return answers.expire?.shift() ?? { is: 'value', value: null };
    },
    pulse: lost,
    templates: lost,
    config: lost,
    maintenance: lost,
    eventsUrl: () => '',
  };
  return { api, calls };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((go) => setImmediate(go));
};

function started(api: Api): { kiosk: Kiosk; stored: Record<string, string> } {
  const stored: Record<string, string> = {};
  const box = {
    getItem: (name: string) => stored[name] ?? null,
    setItem: (name: string, value: string) => void (stored[name] = value),
    removeItem: (name: string) => void delete stored[name],
  };
  const memory = remember(box, () => 'tablet-1');
  const kiosk = run({ api, memory, now: () => 0, pause: async () => undefined, reload: () => undefined }, begin('ru', null, 0));
  return { kiosk, stored };
}

async function toCheck(kiosk: Kiosk): Promise<void> {
  kiosk.send({ type: 'start_tapped' });
  await settle();
  const steps: Event[] = [
    { type: 'session_changed', session: session({ status: 'consented' }) },
    { type: 'outfit_tapped', id: 'chef' },
  ];
  for (const event of steps) kiosk.send(event);
  await settle();
  kiosk.send({ type: 'photo_taken', photo });
}

test('a photo goes from the check to the queue', async () => {
  const { api } = server({ upload: [{ is: 'value', value: job }] });
  const { kiosk } = started(api);
  await toCheck(kiosk);
  kiosk.send({ type: 'send_tapped' });
  await settle();
  assert.equal(kiosk.state().screen.name, 'queue');
});

test('"not now" is asked again, and after a few times said to the guest', async () => {
  const busy = { is: 'busy' } as const;
  const { api, calls } = server({ upload: [busy, busy, { is: 'value', value: job }] });
  const { kiosk } = started(api);
  await toCheck(kiosk);
  kiosk.send({ type: 'send_tapped' });
  await settle();
  assert.equal(kiosk.state().screen.name, 'queue');
  assert.equal(calls.filter((call) => call === 'upload').length, 3);

  const always = server({ open: 'busy' });
  const second = started(always.api).kiosk;
  second.send({ type: 'start_tapped' });
  await settle();
  assert.equal(always.calls.length, 4);
  assert.equal(second.state().message?.key, 'refuse.try_again');
});

test('no answer is a lost network, and the photo goes again when it is back', async () => {
  const { api, calls } = server({ upload: [{ is: 'lost' }, { is: 'value', value: job }] });
  const { kiosk } = started(api);
  await toCheck(kiosk);
  kiosk.send({ type: 'send_tapped' });
  await settle();
  assert.notEqual(kiosk.state().offlineSince, null);
  kiosk.send({ type: 'network_back' });
  await settle();
  assert.equal(kiosk.state().screen.name, 'queue');
  assert.equal(calls.filter((call) => call === 'upload').length, 2);
});

test('the answer to an upload that the guest gave up is not heard', async () => {
  const { api } = server({ upload: [{ is: 'value', value: job }] });
  const { kiosk } = started(api);
  await toCheck(kiosk);
  kiosk.send({ type: 'send_tapped' });
  kiosk.send({ type: 'cancel_tapped' });
  await settle();
  assert.equal(kiosk.state().screen.name, 'attract');
});

test('closing a session is tried a few times without an answer', async () => {
  const lost = { is: 'lost' } as const;
  const { api, calls } = server({ expire: [lost, lost, lost, lost, lost, lost] });
  const { kiosk } = started(api);
  kiosk.send({ type: 'start_tapped' });
  await settle();
  kiosk.send({ type: 'cancel_tapped' });
  await settle();
  assert.equal(calls.filter((call) => call === 'expire cancel').length, 4);
});

test('the session is stored while it runs and forgotten with the guest', async () => {
  const { api } = server({});
  const { kiosk, stored } = started(api);
  kiosk.send({ type: 'start_tapped' });
  await settle();
  assert.match(stored['kiosk.session'] ?? '', /"token":"tok"/);
  kiosk.send({ type: 'cancel_tapped' });
  assert.equal(stored['kiosk.session'], undefined);
});

test('an answer that newer word has overtaken does not pull the guest back', async () => {
  const { api } = server({});
  const { kiosk } = started(api);
  kiosk.send({ type: 'start_tapped' });
  await settle();
  let answer: (session: Answer<Session>) => void = () => undefined;
  const slow: Api = { ...api, session: () => new Promise((resolve) => (answer = resolve)) };
  const looking = look(slow, kiosk, 'tok');
  kiosk.send({ type: 'session_changed', session: session({ status: 'consented' }) });
  answer({ is: 'value', value: session({ status: 'linked' }) });
  await looking;
  assert.equal(kiosk.state().screen.name, 'outfits');
});
