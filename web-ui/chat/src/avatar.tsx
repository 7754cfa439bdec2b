/** The round picture beside a name: a sticker for a bot, the first letter for a person or a group. */
import { BotFace } from './icons.tsx';

/** How many tints there are in the sheet. */
const TINTS = 5;

/** The tint of a person or group: the same id always has the same one. */
export function tintOf(id: number): number {
  return Math.abs(id) % TINTS;
}

/** Decoration: the name stands beside it. */
export function Avatar({ id, name, bot }: { id: number; name: string; bot: boolean }) {
  return (
    <span class={bot ? 'avatar avatar-bot' : `avatar avatar-${tintOf(id)}`} aria-hidden="true">
      {bot ? <BotFace size={30} /> : (Array.from(name.trim())[0] ?? '?').toLocaleUpperCase()}
    </span>
  );
}
