/** What the passing of time does: deadlines of screens, the idle question, renewal of the page. */
import { cleared, giveUp, stay } from './leave.ts';
import { minutes } from './follow.ts';
import { send } from './upload.ts';
import { timing, type State, type Step } from './model.ts';

/** Looks at every deadline once. */
export function passTime(before: State, now: number): Step {
  const state = settle(before, now);
  if (state.askingUntil !== null) {
    return state.askingUntil <= now ? giveUp(state, 'idle_timeout', now) : stay(state);
  }
  const screen = state.screen;
  switch (screen.name) {
    case 'attract':
      return attract(state, now);
    case 'qr':
      return screen.until <= now ? giveUp(state, 'qr_timeout', now, 'qr.late') : stay(state);
    case 'consent':
      return stay(ask(state, timing.consentIdle, now));
    case 'outfits':
      return stay(screen.choosing === null ? ask(state, timing.outfitsIdle, now) : state);
    case 'camera':
      return stay(ask(state, timing.cameraIdle, now));
    case 'check':
      return screen.sendAt <= now ? send(state, now) : stay(state);
    case 'queue':
      return stay(screen.freeAt <= now ? cleared(state, now) : steadyWait(state, now));
    case 'done':
    case 'ready':
    case 'progress':
    case 'failed':
    case 'problem':
      return stay(screen.until <= now ? cleared(state, now) : state);
    case 'break':
      return now - screen.since >= timing.breakHeld && state.session !== null
        ? keepBreak(giveUp(state, 'idle_timeout', now), now)
        : stay(state);
    case 'sending':
    case 'setup':
      return stay(state);
  }
}

/** The time itself, and the end of a line that was said for a while. */
function settle(state: State, now: number): State {
  const over = state.message !== null && state.message.until <= now;
  return { ...state, now, message: over ? null : state.message };
}

/** Asks whether the guest is still there. Without a network nobody is asked: the guest waits for us. */
function ask(state: State, after: number, now: number): State {
  if (state.offlineSince !== null || now - state.touchedAt < after) return state;
  return { ...state, askingUntil: now + timing.question };
}

/** When nobody is here the page speaks the house's language again, and a newer page may come; only then. */
function attract(state: State, now: number): Step {
  const newer = state.config !== null && state.loadedVersion !== null && state.config.version !== state.loadedVersion;
  const alone = now - state.touchedAt >= timing.renewAfter && !state.resuming && state.offlineSince === null;
  const next = alone ? { ...state, language: state.homeLanguage } : state;
  return { state: next, commands: newer && alone ? [{ type: 'reload_page' }] : [] };
}

/** The wait in words follows the measured one, but not more often than a person can believe. */
function steadyWait(state: State, now: number): State {
  const screen = state.screen;
  if (screen.name !== 'queue') return state;
  const wait = minutes(screen.job);
  if (wait === screen.wait || now - screen.waitSince < timing.waitSteady) return state;
  return { ...state, screen: { ...screen, wait, waitSince: now } };
}

/** The guest has left, the break goes on. */
function keepBreak(step: Step, now: number): Step {
  return { ...step, state: { ...step.state, screen: { name: 'break', resume: null, since: now } } };
}
