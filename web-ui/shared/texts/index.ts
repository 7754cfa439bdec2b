/**
 * The words of the kiosk in its three languages: one file a language, the same keys in each.
 * A text is a sentence with `{placeholders}`, or one sentence for each plural form of its number.
 */
import { en } from './en.ts';
import { ru } from './ru.ts';
import { uz } from './uz.ts';

/** The languages a guest can choose, in the order of the switch. */
export const languages = ['ru', 'uz', 'en'] as const;

/** One of the three languages. */
export type Language = (typeof languages)[number];

/** A sentence, or its plural forms by the categories of `Intl.PluralRules`. */
export type Text = string | ({ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>);

/** The name of a sentence; Russian is the measure, the others must have the same ones. */
export type TextKey = keyof typeof ru;

/** All sentences of one language. */
export type Texts = Record<TextKey, Text>;

/** Every sentence in every language. */
export const texts: Record<Language, Texts> = { ru, uz, en };

/** Whether a value from outside names a language of ours. */
export function isLanguage(value: unknown): value is Language {
  return languages.some((language) => language === value);
}

/** Whether a name built at run time (from an error code) names a sentence. */
export function isTextKey(value: string): value is TextKey {
  return Object.hasOwn(ru, value);
}

/**
 * The sentence `key` in `language` with its placeholders filled. The first number among the values chooses the
 * plural form; a value that is missing leaves its placeholder visible, so that a test or an eye finds it.
 */
export function say(language: Language, key: TextKey, values: Record<string, string | number> = {}): string {
  const text = texts[language][key];
  return fill(typeof text === 'string' ? text : plural(language, text, values), values);
}

function plural(language: Language, forms: Exclude<Text, string>, values: Record<string, string | number>): string {
  const count = Object.values(values).find((value) => typeof value === 'number');
  if (count === undefined) return forms.other;
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}

function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
