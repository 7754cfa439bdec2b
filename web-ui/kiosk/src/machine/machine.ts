/**
 * The kiosk as a pure function: a state and an event make the next state and the commands for the outside. Time
 * comes in with the event. The server's word on the session is followed (`follow.ts`); the guest's taps are here.
 */
import { passTime } from './clock.ts';
import { follow, queued, unknown } from './follow.ts';
import { cleared, giveUp, stay } from './leave.ts';
import {
  timing,
  type CameraFault,
  type Event,
  type Job,
  type Kept,
  type Opened,
  type ScreenName,
  type State,
  type Step,
} from './model.ts';
import { endBreak, moved, outfitRefused, send, sendAgain, startRefused, takeBreak, uploadRefused } from './upload.ts';

/** The state after `event` at the time `now`, and what is to be done. */
export function step(state: State, event: Event, now: number): Step {
  switch (event.type) {
    case 'tick':
      return passTime(state, now);
    case 'touched':
      return stay({ ...state, touchedAt: now });
    case 'language_tapped':
      return stay({ ...state, language: event.language, touchedAt: now });
    case 'home_language_set':
      return stay({ ...state, homeLanguage: event.language, language: event.language });
    case 'start_tapped':
      return start(state, now);
    case 'session_opened':
      return opened(state, event.opened, now);
    case 'start_refused':
      return startRefused(state, event.refusal, now);
    case 'session_changed':
      return follow(state, event.session, now);
    case 'session_unknown':
      return unknown(state, event.token, now);
    case 'outfit_tapped':
      return choose(state, event.id, now);
    case 'outfit_refused':
      return outfitRefused(state, event.refusal, now);
    case 'photo_taken':
      return photographed(state, event.photo, now);
    case 'upload_moved':
      return stay(moved(state, event.share, now));
    case 'upload_accepted':
      return accepted(state, event.job, now);
    case 'upload_refused':
      return uploadRefused(state, event.refusal, now);
    case 'camera_failed':
      return cameraFailed(state, event.fault, now);
    default:
      return tapOrWorld(state, event, now);
  }
}

type Rest = Exclude<Event, { type: Handled }>;
type Handled =
  | 'tick' | 'touched' | 'language_tapped' | 'home_language_set' | 'start_tapped' | 'session_opened' | 'start_refused'
  | 'session_changed' | 'session_unknown' | 'outfit_tapped' | 'outfit_refused' | 'photo_taken' | 'upload_moved'
  | 'upload_accepted' | 'upload_refused' | 'camera_failed';

/** Taps without a value, and news of the world around the guest. */
function tapOrWorld(state: State, event: Rest, now: number): Step {
  switch (event.type) {
    case 'cancel_tapped':
      return giveUp(state, 'cancel', now);
    case 'staff_tapped':
      return staff(state, now);
    case 'other_outfit_tapped':
      return stay(otherOutfit(state, now));
    case 'retake_tapped':
      return stay(retake(state, now));
    case 'send_tapped':
      return state.screen.name === 'check' ? send(state, now) : stay(state);
    case 'leave_tapped':
      return stay(leaves(state) ? cleared(state, now) : state);
    case 'stay_tapped':
      return stay({ ...state, askingUntil: null, touchedAt: now });
    case 'network_lost':
      return stay({ ...state, offlineSince: state.offlineSince ?? now });
    case 'network_back':
      return networkBack(state, now);
    case 'maintenance_seen':
      return maintenance(state, event.on, now);
    case 'templates_loaded':
      return stay({ ...state, templates: event.templates });
    case 'config_loaded':
      return stay({ ...state, config: event.config, loadedVersion: state.loadedVersion ?? event.config.version });
    case 'setup_opened':
      return { ...giveUp(state, 'staff_reset', now), state: { ...cleared(state, now), screen: { name: 'setup' } } };
    case 'setup_closed':
      return stay(state.screen.name === 'setup' ? cleared(state, now) : state);
  }
}

/** START: a second tap while the first is on its way does nothing. */
function start(state: State, now: number): Step {
  if (state.screen.name !== 'attract' || state.screen.starting || state.resuming) return stay(state);
  return {
    state: { ...state, screen: { name: 'attract', starting: true }, message: null, touchedAt: now },
    commands: [{ type: 'open_session', language: state.language }],
  };
}

/** A session is open. One that nobody waits for any more is given back. */
function opened(state: State, fresh: Opened, now: number): Step {
  if (state.screen.name !== 'attract' || !state.screen.starting) {
    return { state, commands: [{ type: 'expire', token: fresh.token, reason: 'kiosk_reset' }] };
  }
  return stay({
    ...state,
    screen: { name: 'qr', qrSvg: fresh.qrSvg, deepLink: fresh.deepLink, until: now + timing.qr },
    session: {
      token: fresh.token,
      status: 'idle',
      template_id: null,
      closed_reason: null,
      notice: null,
      first_name: null,
      language: null,
      job: null,
    },
    demo: leadsHere(fresh.deepLink),
    touchedAt: now,
  });
}

/** Whether a link leads to the computer that the page itself runs on, as in the demo. */
function leadsHere(link: string): boolean {
  const host = /^https?:\/\/(\[[^\]]*\]|[^/:?#]*)/.exec(link)?.[1] ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

function choose(state: State, id: string, now: number): Step {
  if (state.screen.name !== 'outfits' || state.screen.choosing !== null || state.session === null) return stay(state);
  return {
    state: { ...state, screen: { name: 'outfits', choosing: id }, message: null, touchedAt: now },
    commands: [{ type: 'choose', token: state.session.token, id }],
  };
}

function otherOutfit(state: State, now: number): State {
  if (state.screen.name !== 'camera') return state;
  return { ...state, screen: { name: 'outfits', choosing: null }, message: null, touchedAt: now };
}

function photographed(state: State, photo: Blob, now: number): Step {
  if (state.screen.name !== 'camera') return stay(state);
  const screen = { name: 'check', sendAt: now + timing.checkAnswer } as const;
  return stay({ ...state, photo, screen, askingUntil: null, message: null, touchedAt: now });
}

/** The photo may be taken again once. */
function retake(state: State, now: number): State {
  if (state.screen.name !== 'check' || state.retaken) return state;
  return { ...state, photo: null, retaken: true, screen: { name: 'camera', since: now, fault: null }, touchedAt: now };
}

function accepted(state: State, job: Job, now: number): Step {
  if (state.screen.name !== 'sending' || state.session === null) return stay(state);
  const session = { ...state.session, status: 'photo_taken' as const, job };
  return stay(queued({ ...state, session }, job, now));
}

/**
 * Without a camera there is nothing to do here: the session is closed with its reason and staff are called. In the demo
 * a photo can come from a file.
 */
function cameraFailed(state: State, fault: CameraFault, now: number): Step {
  if (state.screen.name !== 'camera') return stay(state);
  if (state.demo) return stay({ ...state, screen: { ...state.screen, fault } });
  const { commands } = giveUp(state, 'camera_error', now);
  const home = cleared(state, now);
  const screen = { name: 'problem', fault, until: now + timing.problemShown } as const;
  return { state: { ...home, language: state.language, screen }, commands };
}

/** Five taps in the corner: a guest's session is reset; where nobody is, the set-up page opens. */
function staff(state: State, now: number): Step {
  const guestless = state.session === null && (state.screen.name === 'attract' || state.screen.name === 'break');
  if (guestless) return stay({ ...cleared(state, now), screen: { name: 'setup' } });
  return giveUp(state, 'staff_reset', now);
}

/** Screens with "OK" on them, after which the tablet is free. */
function leaves(state: State): boolean {
  return ['queue', 'done', 'ready', 'progress', 'failed', 'problem'].includes(state.screen.name);
}

/** The network is back: what was on its way is sent again with the same session, else the session is asked for. */
function networkBack(before: State, now: number): Step {
  if (before.offlineSince === null) return stay(before);
  const state: State = { ...before, offlineSince: null, touchedAt: now };
  const resumed = resume(state, now);
  if (state.templates.length > 0) return resumed;
  return { ...resumed, commands: [...resumed.commands, { type: 'load_templates' }] };
}

function resume(state: State, now: number): Step {
  const screen = state.screen;
  if (screen.name === 'sending') return sendAgain(state, now);
  const token = state.session?.token ?? state.kept?.token;
  if (token === undefined) {
    const starting = screen.name === 'attract' && screen.starting;
    return { state, commands: starting ? [{ type: 'open_session', language: state.language }] : [] };
  }
  if (screen.name === 'outfits' && screen.choosing !== null) {
    return { state, commands: [{ type: 'choose', token, id: screen.choosing }] };
  }
  return { state, commands: [{ type: 'look', token }] };
}

/** The house says whether it pauses. A guest in the middle is not interrupted; refusals tell when it matters. */
function maintenance(state: State, on: boolean, now: number): Step {
  if (!on) return endBreak(state, now);
  const idle = state.screen.name === 'attract' && !state.screen.starting && !state.resuming;
  return stay(idle ? takeBreak(state, null, now) : state);
}

/**
 * The screen to show. Without a network the guest's own screen stays, with a chip, as long as something can be done
 * on it; where nothing can, the page says that it waits.
 */
export function shown(state: State): ScreenName {
  const since = state.offlineSince;
  if (since === null) return state.screen.name;
  const long = state.now - since >= timing.offlineShown;
  switch (state.screen.name) {
    case 'attract':
      return state.screen.starting || long ? 'offline' : 'attract';
    case 'outfits':
      return state.screen.choosing !== null && long ? 'offline' : 'outfits';
    case 'sending':
      return long ? 'offline' : 'sending';
    default:
      return state.screen.name;
  }
}

/** The session whose changes are to be listened for. */
export function watched(state: State): string | null {
  if (state.session === null) return state.kept?.token ?? null;
  return ['done', 'failed', 'ready', 'progress'].includes(state.screen.name) ? null : state.session.token;
}

/** What is to outlive a reload. */
export function keep(state: State): Kept | null {
  if (state.session === null) return state.kept;
  const screen = state.screen;
  const qr = screen.name === 'qr' ? { svg: screen.qrSvg, link: screen.deepLink, until: screen.until } : null;
  return { token: state.session.token, demo: state.demo, qr };
}
