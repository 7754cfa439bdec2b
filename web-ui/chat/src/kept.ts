/**
 * What the browser keeps. The person belongs to the tab, because a tab is a phone; theme, language of the picker and the
 * added sets belong to the browser. A browser that refuses storage loses only the memory.
 */
import { LANGUAGES, type Language, languageOf } from './texts.ts';

/** How the page chooses its theme. */
export type Theme = 'auto' | 'light' | 'dark';

/** A guest who adds more sets than this loses the oldest from the tray. */
const SETS_MAX = 30;

/** The person whose phone this tab is. */
export function person(): number | null {
  const kept = Number(read(session, 'chat.person'));
  return Number.isInteger(kept) && kept !== 0 ? kept : null;
}

/** Makes this tab a person's phone, or nobody's. */
export function keepPerson(id: number | null): void {
  write(session, 'chat.person', id === null ? null : String(id));
}

/** The chosen theme. */
export function theme(): Theme {
  const kept = read(local, 'chat.theme');
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

/** Keeps the chosen theme. */
export function keepTheme(chosen: Theme): void {
  write(local, 'chat.theme', chosen === 'auto' ? null : chosen);
}

/** The language of the page while it is nobody's phone. */
export function language(): Language {
  const kept = read(local, 'chat.language');
  return LANGUAGES.find((one) => one === kept) ?? languageOf(navigator.language);
}

/** Keeps the language of the picker. */
export function keepLanguage(chosen: Language): void {
  write(local, 'chat.language', chosen);
}

/** The names of the sets that a person added, oldest first. */
export function sets(of: number): string[] {
  try {
    const kept: unknown = JSON.parse(read(local, `chat.sets.${of}`) ?? '[]');
    return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Keeps the names of a person's sets. */
export function keepSets(of: number, names: readonly string[]): void {
  write(local, `chat.sets.${of}`, JSON.stringify(names.slice(-SETS_MAX)));
}

const session = (): Storage => window.sessionStorage;
const local = (): Storage => window.localStorage;

function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

function write(storage: () => Storage, key: string, value: string | null): void {
  try {
    if (value === null) {
      storage().removeItem(key);
    } else {
      storage().setItem(key, value);
    }
  } catch {
    // Without storage the page still works for as long as it is open.
  }
}
