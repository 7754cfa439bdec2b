/**
 * A page that updates itself. One stream tells that something changed; htmx asks for the same page and swaps the part `#live`. A tab that nobody
 * sees has no stream: browsers allow few of them for one server.
 */
import type htmxType from 'htmx.org';
import { Freshness } from './fresh.ts';
import { isInUse, openDetails, reopen } from './kept.ts';

const STREAM = '/admin/events';
const AGAIN_MS = 5_000;
const LOOK_EVERY_MS = 1_000;

const part = (): HTMLElement | null => document.querySelector<HTMLElement>('[data-live]');

/** Starts, where the page has a part that lives. */
export function follow(htmx: typeof htmxType): void {
  if (part() === null) return;
  const fresh = new Freshness(performance.now());
  keepOverSwaps();
  countAnswers(fresh);
  const stream = new Stream(() => {
    fresh.heard(performance.now());
    const live = part();
    if (live !== null && !isInUse(live, document.activeElement, document.getSelection())) htmx.trigger(document.body, 'panel:live', {});
  });
  const visible = (): void => {
    if (document.hidden) {
      stream.close();
    } else {
      // What happened meanwhile is asked for by the first word of the new stream.
      fresh.heard(performance.now());
      stream.open();
    }
  };
  document.addEventListener('visibilitychange', visible);
  visible();
  window.setInterval(() => {
    if (document.hidden) return;
    stream.openAgain();
    showLost(fresh.isLost(performance.now()));
  }, LOOK_EVERY_MS);
}

/** The stream of the server; one that was refused is opened again after a while. */
class Stream {
  readonly #told: () => void;
  #source: EventSource | null = null;
  #openedAt = 0;

  constructor(told: () => void) {
    this.#told = told;
  }

  open(): void {
    if (this.#source !== null) return;
    this.#openedAt = performance.now();
    this.#source = new EventSource(STREAM);
    this.#source.addEventListener('live', () => this.#told());
    this.#source.addEventListener('gone', () => window.location.assign('/admin/login'));
  }

  close(): void {
    this.#source?.close();
    this.#source = null;
  }

  /** A browser gives up for good when the answer was an error. */
  openAgain(): void {
    if (this.#source?.readyState !== EventSource.CLOSED || performance.now() - this.#openedAt < AGAIN_MS) return;
    this.close();
    this.open();
  }
}

function countAnswers(fresh: Freshness): void {
  const answered = (event: Event): void => {
    const { successful } = (event as CustomEvent<{ successful?: boolean }>).detail;
    fresh.asked(successful === true, performance.now());
  };
  document.body.addEventListener('htmx:afterRequest', answered);
}

/** Opened details stay open, also those that the new part brings closed. */
function keepOverSwaps(): void {
  let open: string[] = [];
  document.body.addEventListener('htmx:beforeSwap', () => {
    open = openDetails(document);
  });
  document.body.addEventListener('htmx:afterSettle', () => reopen(document, open));
}

/** Says since when the numbers are; buttons that write are off meanwhile. */
function showLost(isLost: boolean): void {
  const banner = document.getElementById('lost');
  if (banner === null || banner.hidden !== isLost) return;
  const time = document.querySelector('[data-time]')?.textContent ?? '';
  const place = banner.querySelector('[data-lost-at]');
  if (isLost && place !== null) place.textContent = time;
  banner.hidden = !isLost;
  document.documentElement.toggleAttribute('data-lost', isLost);
  for (const button of document.querySelectorAll<HTMLButtonElement>('form[method="post"] button')) button.disabled = isLost;
}
