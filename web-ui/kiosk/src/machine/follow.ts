/** The server's word on a session decides the screen: the tablet follows, it does not guess. */
import { cleared, giveUp, stay, tell } from './leave.ts';
import { timing, type Job, type Screen, type Session, type State, type Step } from './model.ts';

/** Takes in a session as the server tells it and turns to the screen where it is. */
export function follow(state: State, session: Session, now: number): Step {
  if (!concerns(state, session.token)) return stay(state);
  const moved = state.session?.status !== session.status;
  const known = speak({
    ...state,
    session,
    resuming: false,
    kept: null,
    touchedAt: moved ? now : state.touchedAt,
    askingUntil: moved ? null : state.askingUntil,
  });
  switch (session.status) {
    case 'idle':
      return waitForScan(known, state, now);
    case 'linked':
      return stay(at(known, { name: 'consent' }));
    case 'consented':
      return stay(known.screen.name === 'outfits' || held(known) ? known : at(known, { name: 'outfits', choosing: null }));
    case 'template_chosen':
      return stay(chosen(known, now));
    case 'photo_taken':
      return photoTaken(known, session, now);
    case 'expired':
      return expired(known, session, now);
  }
}

/** A session is ours when it is the one on the screen or the one that a reload asks for. */
function concerns(state: State, token: string): boolean {
  return state.session?.token === token || (state.resuming && state.kept?.token === token);
}

/** The guest's Telegram language takes over once, when the phone is linked. */
function speak(state: State): State {
  const language = state.session?.language ?? null;
  if (language === null || state.languageTaken || state.session?.status === 'idle') return state;
  return { ...state, language, languageTaken: true };
}

function at(state: State, screen: Screen): State {
  return state.screen.name === screen.name ? state : { ...state, screen };
}

/** Screens that a session's word of an earlier step must not pull the guest away from. */
function held(state: State): boolean {
  return state.screen.name === 'break';
}

/** After a reload the QR comes back while it is still good; without it the session is given up. */
function waitForScan(known: State, before: State, now: number): Step {
  if (known.screen.name === 'qr') return stay(known);
  const qr = before.kept?.qr ?? null;
  if (qr === null || qr.until <= now) return giveUp(known, 'qr_timeout', now, 'qr.late');
  return stay({ ...known, screen: { name: 'qr', qrSvg: qr.svg, deepLink: qr.link, until: qr.until } });
}

/** An outfit is chosen: on to the camera, unless the guest is past it or looks for another one. */
function chosen(state: State, now: number): State {
  switch (state.screen.name) {
    case 'camera':
    case 'check':
    case 'sending':
    case 'problem':
    case 'break':
    case 'setup':
      return state;
    case 'outfits':
      if (state.screen.choosing === null || state.screen.choosing !== state.session?.template_id) return state;
      return camera(state, now);
    default:
      return camera(state, now);
  }
}

function camera(state: State, now: number): State {
  return { ...state, screen: { name: 'camera', since: now, fault: null }, photo: null, retaken: false };
}

/** The photo is in: the place in line, then what became of it. */
function photoTaken(state: State, session: Session, now: number): Step {
  const job = session.job;
  return stay(job === null ? state : queued(state, job, now));
}

/** Shows where the job is. A place is shown for a while, then the tablet is free for the next guest. */
export function queued(state: State, job: Job, now: number): State {
  const bare = { ...state, photo: null, message: null, askingUntil: null };
  if (job.status === 'done') return ended(bare, { name: 'done', until: now + timing.doneShown });
  if (job.status === 'failed') return ended(bare, { name: 'failed', until: now + timing.noticeShown });
  if (bare.screen.name !== 'queue') {
    return {
      ...bare,
      screen: { name: 'queue', job, wait: minutes(job), waitSince: now, freeAt: now + timing.queueShown },
    };
  }
  return { ...bare, screen: { ...bare.screen, job } };
}

function ended(state: State, screen: Screen): State {
  return state.screen.name === screen.name ? state : { ...state, screen };
}

/** The measured wait in whole minutes, rounded up; none when the server has measured nothing yet. */
export function minutes(job: Job): number | null {
  return job.eta_seconds === null ? null : Math.max(1, Math.ceil(job.eta_seconds / 60));
}

/** The session is over before a photo: the pack limit, a timer, or somebody else's hand. */
function expired(state: State, session: Session, now: number): Step {
  if (session.notice !== null) return stay(noticed(state, session.notice, now));
  const late = session.closed_reason === 'qr_timeout';
  return stay(cleared(state, now, late ? 'qr.late' : 'refuse.unknown_session'));
}

/** The guest has a pack already, made or in the making. */
export function noticed(state: State, notice: 'pack_ready' | 'pack_in_progress', now: number): State {
  const name = notice === 'pack_ready' ? 'ready' : 'progress';
  if (state.screen.name === name) return state;
  return { ...state, photo: null, message: null, askingUntil: null, screen: { name, until: now + timing.noticeShown } };
}

/** The server does not know the session: start over, and say so. */
export function unknown(state: State, token: string, now: number): Step {
  if (!concerns(state, token)) return stay(state);
  if (state.resuming) return stay(cleared(state, now));
  return stay(tell(cleared(state, now), 'refuse.unknown_session', now));
}
