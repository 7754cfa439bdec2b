/**
 * House stickers, fetched a few at a time and kept in memory. A browser opens only six connections to a server, and a
 * sample that is drawn for the first time takes a while: without a limit five waiting pictures would hold up a guest's START.
 * What was fetched stays on the screen when the network is lost.
 */

/** Fetches at once, pictures kept, attempts for one picture, and how long one may take. */
const limits = { lanes: 2, kept: 200, attempts: 5, ms: 120_000, pauseMs: 5_000 } as const;

/** How the outside is reached; tests bring their own. */
export interface Fetching {
  fetch: (url: string) => Promise<Blob>;
  address: (blob: Blob) => string;
  forget: (address: string) => void;
  later: (act: () => void, ms: number) => void;
}

type Hear = (address: string) => void;

/** The shelf of pictures. */
export class Pictures {
  private readonly ready = new Map<string, string>();
  private readonly hearers = new Map<string, Set<Hear>>();
  private readonly attempts = new Map<string, number>();
  private queue: string[] = [];
  private running = 0;

  constructor(private readonly outside: Fetching) {}

  /** The address of a picture that is here already. */
  get(url: string): string | null {
    return this.ready.get(url) ?? null;
  }

  /** Asks for a picture and calls back when it is here; answers the way to stop waiting. */
  want(url: string, hear: Hear): () => void {
    const here = this.get(url);
    if (here !== null) {
      hear(here);
      return () => undefined;
    }
    const set = this.hearers.get(url) ?? new Set();
    this.hearers.set(url, set.add(hear));
    this.attempts.delete(url);
    // Somebody looks at this one now, so it goes before those that are only fetched ahead.
    this.queue = [url, ...this.queue.filter((other) => other !== url)];
    this.work();
    return () => set.delete(hear);
  }

  /** Fetches pictures ahead, after those that somebody waits for. */
  ahead(urls: string[]): void {
    const known = new Set([...this.queue, ...this.ready.keys()]);
    this.queue.push(...urls.filter((url) => !known.has(url)).slice(0, limits.kept));
    this.work();
  }

  private work(): void {
    while (this.running < limits.lanes) {
      const url = this.queue.shift();
      if (url === undefined) return;
      if (this.ready.has(url)) continue;
      this.running += 1;
      void this.load(url).finally(() => {
        this.running -= 1;
        this.work();
      });
    }
  }

  private async load(url: string): Promise<void> {
    try {
      const blob = await this.outside.fetch(url);
      if (!this.ready.has(url)) this.keep(url, this.outside.address(blob));
    } catch {
      this.again(url);
    }
  }

  private keep(url: string, address: string): void {
    this.ready.set(url, address);
    for (const hear of this.hearers.get(url) ?? []) hear(address);
    this.hearers.delete(url);
    const [oldest] = this.ready;
    if (this.ready.size > limits.kept && oldest !== undefined) {
      this.ready.delete(oldest[0]);
      this.outside.forget(oldest[1]);
    }
  }

  private again(url: string): void {
    const attempts = (this.attempts.get(url) ?? 0) + 1;
    this.attempts.set(url, attempts);
    if (attempts >= limits.attempts) return;
    this.outside.later(() => {
      this.queue.push(url);
      this.work();
    }, limits.pauseMs);
  }
}

/** The page's shelf. */
export const pictures = new Pictures({
  fetch: async (url) => {
    const response = await fetch(url, { signal: AbortSignal.timeout(limits.ms) });
    if (!response.ok) throw new TypeError(`no picture: ${response.status}`);
    return response.blob();
  },
  address: (blob) => URL.createObjectURL(blob),
  forget: (address) => URL.revokeObjectURL(address),
  later: (act, ms) => void setTimeout(act, ms),
});
