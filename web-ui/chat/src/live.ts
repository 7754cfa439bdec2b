/** Keeps one chat up to date: a stream of views, opened again with growing pauses when it breaks. */
import { useEffect, useState } from 'preact/hooks';
import * as api from './api.ts';
import type { View } from './types.ts';

/** Pauses between attempts grow from the first to the last of these. */
const PAUSE_MS_MIN = 500;
const PAUSE_MS_MAX = 8_000;

/** What a tab knows of its chat. */
export type Live =
  | { state: 'loading'; online: boolean }
  /** The chat is not there (yet), or not for this person. */
  | { state: 'missing'; online: boolean }
  /** The person is not there: the world was made anew. */
  | { state: 'nobody' }
  | { state: 'open'; view: View; online: boolean };

const LOADING: Live = { state: 'loading', online: true };

/** The pause before an attempt, after so many failures in a row. */
export function pauseMs(failures: number): number {
  return Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(failures, 10));
}

/** What a refused look at a chat means; `null` when the server is only out of reach or busy. */
export function meaning(status: number, code: string): 'missing' | 'nobody' | null {
  if (status < 400 || status >= 500 || status === 429) {
    return null;
  }
  return code.includes('person') ? 'nobody' : 'missing';
}

/** The live view of a chat; `again` is raised to look anew at once, for instance after START made the chat. */
export function useLive(person: number, chat: number, again: number): Live {
  const [live, setLive] = useState<Live>(LOADING);
  useEffect(() => {
    setLive((before) => (before.state === 'open' && isAbout(before.view, { person, chat }) ? before : LOADING));
    return new Follower({ person, chat }, setLive).begin();
  }, [person, chat, again]);
  return live.state === 'open' && !isAbout(live.view, { person, chat }) ? LOADING : live;
}

function isAbout(view: View, where: api.Where): boolean {
  return view.person.id === where.person && view.chat.id === where.chat;
}

/** Follows one chat. It looks first, then listens; when the stream breaks it waits and does both again. */
class Follower {
  private stopped = false;
  private failures = 0;
  private source: EventSource | null = null;
  private timer: number | undefined;

  constructor(
    private readonly where: api.Where,
    private readonly set: (change: (before: Live) => Live) => void,
  ) {}

  /** Starts, and gives back the function that ends it. */
  begin(): () => void {
    const wake = () => this.wake();
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    void this.look();
    return () => {
      this.stopped = true;
      this.source?.close();
      window.clearTimeout(this.timer);
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
    };
  }

  /** A broken stream does not say why, a plain request does: gone, or only out of reach. */
  private async look(): Promise<void> {
    try {
      const view = await api.view(this.where);
      if (this.stopped) return;
      this.set(() => ({ state: 'open', view, online: true }));
      this.listen();
    } catch (refusal) {
      if (this.stopped) return;
      const means = refusal instanceof api.Refused ? meaning(refusal.status, refusal.code) : null;
      this.set((before) => {
        if (means === 'nobody') return { state: 'nobody' };
        if (means === 'missing') return { state: 'missing', online: true };
        return before.state === 'nobody' ? before : { ...before, online: false };
      });
      this.later();
    }
  }

  private listen(): void {
    const source = new EventSource(api.eventsAddress(this.where));
    this.source = source;
    source.onmessage = (event: MessageEvent<string>) => {
      this.failures = 0;
      const view = JSON.parse(event.data) as View;
      this.set(() => ({ state: 'open', view, online: true }));
    };
    source.onerror = () => {
      source.close();
      this.source = null;
      this.later();
    };
  }

  private later(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.look(), pauseMs(this.failures));
    this.failures += 1;
  }

  /** The network is back or the tab is looked at again: no need to sit out the pause. */
  private wake(): void {
    if (!this.stopped && this.source === null && document.visibilityState === 'visible') {
      this.failures = 0;
      this.later();
    }
  }
}
