/** The ways back to the start, and the lines that explain them. */
import type { TextKey } from '../../../shared/texts/index.ts';
import { timing, type CloseReason, type Command, type State, type Step } from './model.ts';

/** A step that asks nothing of the outside. */
export function stay(state: State): Step {
  return { state, commands: [] };
}

/** The start screen for the next guest: nothing of the last one is left in memory. */
export function cleared(state: State, now: number, message: TextKey | null = null): State {
  return {
    ...state,
    screen: { name: 'attract', starting: false },
    session: null,
    photo: null,
    retaken: false,
    language: state.homeLanguage,
    languageTaken: false,
    touchedAt: now,
    askingUntil: null,
    message: message === null ? null : { key: message, until: now + timing.messageShown },
    demo: false,
    resuming: false,
    kept: null,
  };
}

/** Gives the session up with a reason that the server stores, and goes back to the start. */
export function giveUp(state: State, reason: CloseReason, now: number, message: TextKey | null = null): Step {
  const commands: Command[] = [];
  if (state.screen.name === 'sending') commands.push({ type: 'stop_upload' });
  const token = state.session?.token ?? state.kept?.token;
  if (token !== undefined && state.session?.status !== 'photo_taken') commands.push({ type: 'expire', token, reason });
  return { state: cleared(state, now, message), commands };
}

/** Says a line over the screen for a while. */
export function tell(state: State, key: TextKey, now: number): State {
  return { ...state, message: { key, until: now + timing.messageShown } };
}
