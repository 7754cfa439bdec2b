/** The photo on its way: sent once, retried with the same session, kept until the server has it. */
import { isTextKey, type TextKey } from '../../../shared/texts/index.ts';
import { noticed, unknown } from './follow.ts';
import { cleared, stay, tell } from './leave.ts';
import { timing, uploadAttempts, type Refusal, type State, type Step } from './model.ts';

/** Sends the photo that is in memory. */
export function send(state: State, now: number): Step {
  if (state.photo === null || state.session === null) return stay(state);
  const screen = { name: 'sending', share: 0, movedAt: now, attempts: 1 } as const;
  return {
    state: { ...state, screen, askingUntil: null, message: null },
    commands: [{ type: 'upload', token: state.session.token, photo: state.photo }],
  };
}

/** The network is back while a photo was on its way: the same photo again, with the same session. */
export function sendAgain(state: State, now: number): Step {
  if (state.screen.name !== 'sending' || state.photo === null || state.session === null) return stay(state);
  if (state.screen.attempts >= uploadAttempts) return stay(backToCamera(state, 'try_again', now));
  return {
    state: { ...state, screen: { ...state.screen, share: 0, attempts: state.screen.attempts + 1 } },
    commands: [{ type: 'upload', token: state.session.token, photo: state.photo }],
  };
}

/** A sentence for a code of the server; a code without one gets the neutral sentence, never a bare code. */
export function refusalKey(code: string): TextKey {
  const key = `refuse.${code}`;
  return isTextKey(key) ? key : 'refuse.try_again';
}

/** The server did not open a session. */
export function startRefused(state: State, refusal: Refusal, now: number): Step {
  if (state.screen.name !== 'attract') return stay(state);
  if (refusal.code === 'maintenance') return stay(takeBreak(state, null, now));
  return stay(tell({ ...state, screen: { name: 'attract', starting: false } }, refusalKey(refusal.code), now));
}

/** The server did not take the outfit. */
export function outfitRefused(state: State, refusal: Refusal, now: number): Step {
  if (state.screen.name !== 'outfits' || state.session === null) return stay(state);
  const token = state.session.token;
  const again: State = { ...state, screen: { name: 'outfits', choosing: null }, touchedAt: now };
  switch (refusal.code) {
    case 'maintenance':
      return stay(takeBreak(again, 'outfits', now));
    case 'unknown_session':
      return unknown(state, token, now);
    case 'pack_limit':
      return { state: noticed(state, refusal.notice ?? 'pack_ready', now), commands: [] };
    case 'wrong_status':
      return { state: tell(again, 'refuse.wrong_status', now), commands: [{ type: 'look', token }] };
    case 'unknown_template':
      return { state: tell(again, 'refuse.unknown_template', now), commands: [{ type: 'load_templates' }] };
    case 'kiosk_key':
      return stay(cleared(state, now, 'refuse.kiosk_key'));
    default:
      return stay(tell(again, refusalKey(refusal.code), now));
  }
}

/** The server did not take the photo: what to do is said at the camera, where it can be done. */
export function uploadRefused(state: State, refusal: Refusal, now: number): Step {
  if (state.screen.name !== 'sending' || state.session === null) return stay(state);
  const token = state.session.token;
  switch (refusal.code) {
    case 'maintenance':
      return stay(takeBreak(state, 'sending', now));
    case 'unknown_session':
      return unknown(state, token, now);
    case 'pack_limit':
      return stay(noticed(state, refusal.notice ?? 'pack_ready', now));
    case 'wrong_status':
      // The answer to an earlier attempt was lost: the session itself says where the guest is.
      return { state, commands: [{ type: 'look', token }] };
    case 'kiosk_key':
      return stay(cleared(state, now, 'refuse.kiosk_key'));
    default:
      return stay(backToCamera(state, refusal.code, now));
  }
}

function backToCamera(state: State, code: string, now: number): State {
  const screen = { name: 'camera', since: now, fault: null } as const;
  const camera: State = { ...state, screen, photo: null, retaken: false, touchedAt: now };
  return tell(camera, refusalKey(code), now);
}

/** The house pauses; what the guest has done so far is kept and goes on by itself afterwards. */
export function takeBreak(state: State, resume: 'outfits' | 'sending' | null, now: number): State {
  return { ...state, screen: { name: 'break', resume, since: now }, askingUntil: null, message: null };
}

/** The pause is over: back to where the guest was. */
export function endBreak(state: State, now: number): Step {
  if (state.screen.name !== 'break') return stay(state);
  const resume = state.session === null ? null : state.screen.resume;
  if (resume === 'sending') return send(state, now);
  if (resume === 'outfits') return stay({ ...state, screen: { name: 'outfits', choosing: null }, touchedAt: now });
  return stay(cleared(state, now));
}

/** Bytes that left the tablet; the bar never runs backwards within one attempt. */
export function moved(state: State, share: number, now: number): State {
  if (state.screen.name !== 'sending') return state;
  const restarted = share < state.screen.share;
  return { ...state, screen: { ...state.screen, share, movedAt: restarted ? state.screen.movedAt : now } };
}

/** Whether the guest should be told that the network is slow. */
export function isSlow(state: State): boolean {
  return state.screen.name === 'sending' && state.now - state.screen.movedAt >= timing.sendSlow;
}
