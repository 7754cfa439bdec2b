/** What the tablet keeps for itself: its key and name, the language and light it starts with, the session of a reload. */
import { isLanguage, type Language } from '../../../shared/texts/index.ts';
import type { Kept } from '../machine/model.ts';

/** Bright is the default; dark dims the fields for a dark hall. */
export type Venue = 'bright' | 'dark';

/** The part of `Storage` that is used. */
export type Box = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const names = { key: 'kiosk.key', kiosk: 'kiosk.name', language: 'kiosk.language', venue: 'kiosk.venue', kept: 'kiosk.session' };

/** Reads and writes; a browser that refuses storage costs the memory, not the kiosk. */
export interface Memory {
  key(): string | null;
  kiosk(): string;
  language(): Language;
  venue(): Venue;
  kept(): Kept | null;
  setKey(key: string): void;
  setKiosk(name: string): void;
  setLanguage(language: Language): void;
  setVenue(venue: Venue): void;
  setKept(kept: Kept | null): void;
}

/** The memory over a box; `freshName` names a tablet that has no name yet. */
export function remember(box: Box, freshName: () => string): Memory {
  const read = (name: string): string | null => quietly(() => box.getItem(name)) ?? null;
  const write = (name: string, value: string | null): void =>
    quietly(() => (value === null ? box.removeItem(name) : box.setItem(name, value)));
  let kiosk = read(names.kiosk);
  return {
    key: () => read(names.key),
    kiosk() {
      if (kiosk === null) {
        kiosk = freshName();
        write(names.kiosk, kiosk);
      }
      return kiosk;
    },
    language() {
      const stored = read(names.language);
      return isLanguage(stored) ? stored : 'ru';
    },
    venue: () => (read(names.venue) === 'dark' ? 'dark' : 'bright'),
    kept: () => readKept(read(names.kept)),
    setKey: (key) => write(names.key, key),
    setKiosk(name) {
      kiosk = name;
      write(names.kiosk, name);
    },
    setLanguage: (language) => write(names.language, language),
    setVenue: (venue) => write(names.venue, venue),
    setKept: (kept) => write(names.kept, kept === null ? null : JSON.stringify(kept)),
  };
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function readKept(stored: string | null): Kept | null {
  const value: unknown = stored === null ? null : quietly(() => JSON.parse(stored) as unknown);
  if (typeof value !== 'object' || value === null || !('token' in value) || typeof value.token !== 'string') return null;
  const demo = 'demo' in value && value.demo === true;
  return { token: value.token, demo, qr: 'qr' in value ? readQr(value.qr) : null };
}

function readQr(value: unknown): Kept['qr'] {
  if (typeof value !== 'object' || value === null || !('svg' in value) || !('until' in value)) return null;
  if (typeof value.svg !== 'string' || typeof value.until !== 'number') return null;
  const link = 'link' in value && typeof value.link === 'string' ? value.link : '';
  return { svg: value.svg, link, until: value.until };
}

/** What staff put into the address once: `#key=…`, `#kiosk=…`, `#setup`, joined by `&`. */
export function readFragment(hash: string): { key: string | null; kiosk: string | null; setup: boolean } {
  const values = new URLSearchParams(hash.replace(/^#/, ''));
  return { key: values.get('key') || null, kiosk: values.get('kiosk')?.slice(0, 40) || null, setup: values.has('setup') };
}
