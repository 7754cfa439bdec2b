/** The hidden staff zone: five taps within three seconds. */

const taps = 5;
const windowMs = 3_000;

/** The taps that still count after one more at `at`; empty when that one was the fifth in time. */
export function countTap(before: number[], at: number): number[] {
  const recent = [...before.filter((tap) => at - tap < windowMs), at];
  return recent.length >= taps ? [] : recent;
}
