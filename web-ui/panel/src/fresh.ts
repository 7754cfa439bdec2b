/** Whether what a page shows can still be believed: a rule without a browser, so that it can be tried. */

/** After this time without a word of the server the page says so. */
export const BELIEVED_MS = 15_000;

/** What a page knows of the server. */
export class Freshness {
  #heardAt: number;
  #failing = false;

  /** The page came from the server just now. */
  constructor(now: number) {
    this.#heardAt = now;
  }

  /** The server said something. */
  heard(now: number): void {
    this.#heardAt = now;
  }

  /** The page was asked for again, and came or did not. */
  asked(came: boolean, now: number): void {
    this.#failing = !came;
    if (came) this.#heardAt = now;
  }

  /** Whether the page must say that it is old. */
  isLost(now: number): boolean {
    return this.#failing || now - this.#heardAt > BELIEVED_MS;
  }
}
