/** A tablet for stories: it hears events, its clock is moved by hand, and it remembers what it asked of the outside. */
import { shown, step } from '../machine/machine.ts';
import { begin, type Command, type Event, type Job, type Session, type State } from '../machine/model.ts';

/** The time at which a tablet is switched on. */
export const zero = 1_000_000;

/** A tablet with a clock that is moved by hand and a record of what it asked of the outside. */
export class Tablet {
  state: State;
  now = zero;
  asked: Command[] = [];

  constructor(kept: Parameters<typeof begin>[1] = null) {
    this.state = begin('ru', kept, this.now);
  }

  hears(...events: Event[]): this {
    for (const event of events) {
      const next = step(this.state, event, this.now);
      this.state = next.state;
      this.asked.push(...next.commands);
    }
    return this;
  }

  waits(ms: number): this {
    for (let left = ms; left > 0; left -= 250) {
      this.now += Math.min(250, left);
      this.hears({ type: 'tick' });
    }
    return this;
  }

  get screen(): string {
    return shown(this.state);
  }

  /** What was asked since the last look. */
  took(): Command[] {
    const taken = this.asked;
    this.asked = [];
    return taken;
  }
}

/** A session of the server. */
export function session(change: Partial<Session> = {}): Session {
  const bare = { template_id: null, closed_reason: null, notice: null, first_name: null, language: null, job: null };
  return { token: 'tok', status: 'idle', ...bare, ...change };
}

export const says = (change: Partial<Session>): Event => ({ type: 'session_changed', session: session(change) });
export const opened: Event = { type: 'session_opened', opened: { token: 'tok', deepLink: 'https://t.me/b?start=tok', qrSvg: '<svg/>' } };
export const photo = new Blob(['photo']);
export const refusal = (code: string): { code: string; notice: null; status: null } => ({ code, notice: null, status: null });
export const queuedThird: Job = { status: 'queued', position: 3, eta_seconds: 215 };

export const atQr = (): Tablet => new Tablet().hears({ type: 'start_tapped' }, opened);
export const atConsent = (): Tablet => atQr().hears(says({ status: 'linked', first_name: 'Лола' }));
export const atOutfits = (): Tablet => atConsent().hears(says({ status: 'consented' }));
export const chosen = says({ status: 'template_chosen', template_id: 'chapan' });
export const atCamera = (): Tablet => atOutfits().hears({ type: 'outfit_tapped', id: 'chapan' }, chosen);
export const atCheck = (): Tablet => atCamera().hears({ type: 'photo_taken', photo });
export const atSending = (): Tablet => atCheck().hears({ type: 'send_tapped' });
export const atQueue = (): Tablet => atSending().hears({ type: 'upload_accepted', job: queuedThird });
