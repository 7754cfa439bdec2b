/** Which part of the camera's picture the guest sees, so that the photo is what they saw. */

/** A size in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** A part of a picture, in its pixels. */
export interface Part extends Size {
  x: number;
  y: number;
}

/** The server refuses a picture whose shorter side is below 400; some room is left above that. */
const shortestMin = 480;

/**
 * The middle part of `source` that fills `shown` (as `object-fit: cover` does). Where that would leave too few pixels,
 * the part grows towards the whole picture: more background is better than a refusal.
 */
export function crop(source: Size, shown: Size): Part {
  const scale = Math.max(shown.width / source.width, shown.height / source.height);
  const width = grown(shown.width / scale, source.width);
  const height = grown(shown.height / scale, source.height);
  return { x: Math.round((source.width - width) / 2), y: Math.round((source.height - height) / 2), width, height };
}

function grown(side: number, whole: number): number {
  return Math.round(Math.min(whole, Math.max(side, shortestMin)));
}

/** `size` made smaller so that its longer side is at most `longest`; never made larger. */
export function fitWithin(size: Size, longest: number): Size {
  const scale = Math.min(1, longest / Math.max(size.width, size.height));
  return { width: Math.max(1, Math.round(size.width * scale)), height: Math.max(1, Math.round(size.height * scale)) };
}
