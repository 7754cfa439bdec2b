/** The page's words in three languages, and which one is shown. */
import en from './texts/en.ts';
import ru from './texts/ru.ts';
import uz from './texts/uz.ts';

/** The languages in the order of the switch. */
export const LANGUAGES = ['ru', 'uz', 'en'] as const;

/** One of the languages. */
export type Language = (typeof LANGUAGES)[number];

/** All words of a language. */
export type Texts = { readonly [Key in keyof typeof ru]: string };

/** The words by language. */
export const TEXTS: Record<Language, Texts> = { ru, uz, en };

/** The language of a code such as `uz-Latn-UZ`; English for one the page does not speak. */
export function languageOf(code: string | null): Language {
  const short = (code ?? '').toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === short) ?? 'en';
}
