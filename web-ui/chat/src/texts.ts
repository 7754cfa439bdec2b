/** The page's own words in three languages. What bots and people write is shown as it came. */
import en from './texts/en.ts';
import ru from './texts/ru.ts';
import uz from './texts/uz.ts';

/** The languages of the page, in the order of the switch. */
export const LANGUAGES = ['ru', 'uz', 'en'] as const;

/** One of the page's languages. */
export type Language = (typeof LANGUAGES)[number];

/** All words of one language: the Russian file says which there are. */
export type Texts = { readonly [Key in keyof typeof ru]: string };

const ALL: Record<Language, Texts> = { ru, uz, en };

/** The words of a language. */
export function texts(language: Language): Texts {
  return ALL[language];
}

/** The page's language for a language code such as `uz-Latn` or `en-GB`; English for one the page does not speak. */
export function languageOf(code: string | null | undefined): Language {
  const short = (code ?? '').toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === short) ?? 'en';
}

/** Puts values in the place of `{name}`. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) => (key in values ? String(values[key]) : whole));
}

/** Picks the form for a number from `one|few|many` (Russian) or `one|other`; a text without bars has one form. */
export function plural(text: string, count: number, language: Language): string {
  const forms = text.split('|');
  const category = new Intl.PluralRules(language).select(count);
  const order = forms.length === 3 ? ['one', 'few', 'many'] : ['one', 'other'];
  const at = order.indexOf(category);
  const form = forms[at === -1 ? forms.length - 1 : Math.min(at, forms.length - 1)] ?? text;
  return filled(form, { count });
}
