/** What every screen gets: the state, the words of the guest's language, and the way to say what was tapped. */
import { say, type TextKey } from '../../shared/texts/index.ts';
import type { Camera } from './effects/camera.ts';
import type { Api } from './effects/api.ts';
import type { Memory } from './effects/memory.ts';
import type { Event, State } from './machine/model.ts';

/** The hands of a screen. */
export interface View {
  state: State;
  send: (event: Event) => void;
  t: (key: TextKey, values?: Record<string, string | number>) => string;
  api: Api;
  memory: Memory;
  camera: Camera;
}

/** The words of a state's language. */
export function words(state: State): View['t'] {
  return (key, values) => say(state.language, key, values);
}
