/** Times as a messenger shows them. Now and the time zone are given, so that the words are the same in a test. */
import type { Language } from './texts.ts';

const LOCALES: Record<Language, string> = { ru: 'ru-RU', uz: 'uz-Latn-UZ', en: 'en-GB' };

/** Month names in the form that stands beside a day's number; browsers often lack the Uzbek ones. */
const UZBEK_MONTHS = [
  'yanvar',
  'fevral',
  'mart',
  'aprel',
  'may',
  'iyun',
  'iyul',
  'avgust',
  'sentabr',
  'oktabr',
  'noyabr',
  'dekabr',
];

/** Hours and minutes of a moment given in seconds, always with 24 hours. */
export function clock(seconds: number, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(
    seconds * 1000,
  );
}

/** The calendar day of a moment, as `2026-11-29`: equal for messages that share a separator. */
export function day(seconds: number, timeZone: string | undefined): string {
  return new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).format(
    seconds * 1000,
  );
}

/** What a date separator says. Today and yesterday are named by the caller's words. */
export function dayName(
  seconds: number,
  now: number,
  language: Language,
  words: { today: string; yesterday: string },
  timeZone: string | undefined,
): string {
  const wanted = day(seconds, timeZone);
  const today = day(now, timeZone);
  if (wanted === today) {
    return words.today;
  }
  if (wanted === dayBefore(today)) {
    return words.yesterday;
  }
  return fullDate(wanted, wanted.slice(0, 4) === today.slice(0, 4), language);
}

/** Subtracts on the calendar, so that a day of 23 or 25 hours is one day. */
function dayBefore(date: string): string {
  const noon = new Date(`${date}T12:00:00Z`);
  noon.setUTCDate(noon.getUTCDate() - 1);
  return noon.toISOString().slice(0, 10);
}

function fullDate(date: string, sameYear: boolean, language: Language): string {
  const [year = '', month = '', dayNumber = ''] = date.split('-');
  if (language === 'uz') {
    const name = `${Number(dayNumber)}-${UZBEK_MONTHS[Number(month) - 1] ?? month}`;
    return sameYear ? name : `${year}-yil ${name}`;
  }
  return new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'long',
    year: sameYear ? undefined : 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${date}T12:00:00Z`));
}

/** The size of a file in words short enough for a bubble. */
export function fileSize(bytes: number, language: Language): string {
  const units: Record<Language, [string, string, string]> = {
    ru: ['Б', 'КБ', 'МБ'],
    uz: ['B', 'KB', 'MB'],
    en: ['B', 'KB', 'MB'],
  };
  const [b, kb, mb] = units[language];
  const number = (value: number) =>
    new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: 1 }).format(value);
  if (bytes < 1024) {
    return `${number(bytes)} ${b}`;
  }
  return bytes < 1024 * 1024 ? `${number(bytes / 1024)} ${kb}` : `${number(bytes / 1024 / 1024)} ${mb}`;
}
