/** That a request was sent, for 24 hours: a convenience, not a control. */

/** Where the time is kept. */
export const KEY = 'stickers.requestSentAt';

const DAY_MS = 24 * 60 * 60 * 1000;

type Keeper = Pick<Storage, 'getItem' | 'setItem'>;

/** Notes the time of a success. */
export function remember(keeper: Keeper | null, nowMs: number): void {
  try {
    keeper?.setItem(KEY, String(nowMs));
  } catch {
    // A full or forbidden storage: the form simply shows again.
  }
}

/** Whether something was sent less than 24 hours ago. A time in the future means nothing. */
export function wasSentLately(keeper: Keeper | null, nowMs: number): boolean {
  let kept: string | null = null;
  try {
    kept = keeper?.getItem(KEY) ?? null;
  } catch {
    return false;
  }
  if (kept === null || !/^\d+$/.test(kept)) return false;
  const age = nowMs - Number(kept);
  return age >= 0 && age < DAY_MS;
}
