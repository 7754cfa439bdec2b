/**
 * What the outline and its chip say about the face in it. A hint helps and never locks a guest out: without an answer,
 * and after a while in any case, the photo can be taken.
 */
import type { TextKey } from '../../../shared/texts/index.ts';

/** The outline's three looks. */
export type Look = 'wait' | 'ok' | 'unknown';

/** The chip and outline as shown, with what they rest on. */
export interface Hint {
  look: Look;
  key: TextKey;
  changedAt: number;
  /** The last answer of the face check. */
  heardAt: number;
  openedAt: number;
}

/** An answer of the face check. */
export interface Seen {
  ok: boolean;
  hint: string | null;
}

/** In milliseconds: the chip holds still this long, silence makes it unknown, and the shutter opens in any case. */
export const hintTiming = { hold: 800, silence: 2_000, shutter: 15_000 } as const;

const words: Record<string, TextKey> = {
  no_face: 'cam.no_face',
  several_faces: 'cam.several_faces',
  too_small: 'cam.too_small',
  off_centre: 'cam.off_centre',
  dark: 'cam.dark',
};

/** The camera has just opened: the guest is asked to look into it, and silence counts from now. */
export function firstHint(now: number): Hint {
  return { look: 'wait', key: 'cam.no_face', changedAt: -Infinity, heardAt: now, openedAt: now };
}

/** The hint after an answer, or after `null` (no usable answer, only time). */
export function nextHint(hint: Hint, seen: Seen | null, now: number): Hint {
  const heard = seen === null ? hint : { ...hint, heardAt: now };
  const wanted = seen === null ? onSilence(heard, now) : onAnswer(seen);
  if (wanted === null || (wanted.look === hint.look && wanted.key === hint.key)) return heard;
  if (now - hint.changedAt < hintTiming.hold) return heard;
  return { ...heard, ...wanted, changedAt: now };
}

function onAnswer(seen: Seen): Pick<Hint, 'look' | 'key'> {
  if (seen.ok) return { look: 'ok', key: 'cam.ok' };
  return { look: 'wait', key: words[seen.hint ?? ''] ?? 'cam.no_face' };
}

function onSilence(hint: Hint, now: number): Pick<Hint, 'look' | 'key'> | null {
  return now - hint.heardAt >= hintTiming.silence ? { look: 'unknown', key: 'cam.unknown' } : null;
}

/** Whether the shutter may be pressed. */
export function canShoot(hint: Hint, now: number): boolean {
  return hint.look !== 'wait' || now - hint.openedAt >= hintTiming.shutter;
}
