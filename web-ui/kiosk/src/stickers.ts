/** House stickers: the sample pictures of the outfits, which are the only faces on a screen that is nobody's. */
import type { Template } from './machine/model.ts';
import type { Language } from '../../shared/texts/index.ts';

/** The moods that every outfit has at the same place. */
export const slot = { hi: 0, laugh: 1, love: 2, like: 3, sleep: 5, lively: 7, thanks: 8 } as const;

/** The sticker that fits what a screen says. Outfits differ, so each screen names the one it means, and the place in it. */
const house = {
  sending: { outfit: 'astronaut', place: 4 }, // thinking
  waiting: { outfit: 'chapan', place: 4 }, // a bowl of tea
  ready: { outfit: 'hoodie', place: slot.like },
  sorry: { outfit: 'hoodie', place: 4 }, // a shrug
  asleep: { outfit: 'chapan', place: slot.sleep },
  thanks: { outfit: 'chapan', place: slot.thanks },
  love: { outfit: 'royal', place: slot.love },
  cheer: { outfit: 'hoodie', place: slot.lively },
} as const;

/** What a house sticker is for. */
export type Mood = keyof typeof house;

/** The house sticker for a mood; of the first outfit where the meant one is not offered, none when there are no outfits. */
export function moodUrl(templates: Template[], mood: Mood, language: Language): string | null {
  const { outfit, place } = house[mood];
  const template = templates.find(({ id }) => id === outfit) ?? templates[0];
  if (template === undefined) return null;
  return stickerUrl(template, place < template.stickers ? place : 0, language);
}

/** A sample sticker of an outfit, with its caption in a language. */
export function stickerUrl(template: Template, index: number, language: Language): string {
  const first = index === 0 && template.previewUrl !== '';
  const url = first ? template.previewUrl : `/templates/${encodeURIComponent(template.id)}/stickers/${index}.webp`;
  return `${url}?lang=${language}`;
}

/** Stickers for the start screen, so mixed that neighbours differ in outfit and mood. */
export function parade(templates: Template[], language: Language): string[] {
  const moods = [slot.love, slot.hi, slot.lively, slot.laugh, slot.like, slot.thanks];
  const urls = moods.flatMap((_, round) =>
    templates.map((template, index) => {
      const mood = moods[(index + round) % moods.length] ?? slot.hi;
      return stickerUrl(template, mood < template.stickers ? mood : 0, language);
    }),
  );
  return [...new Set(urls)];
}

/** Every picture that a screen may want, the first ones of each outfit first. */
export function allUrls(templates: Template[], language: Language): string[] {
  const most = Math.max(0, ...templates.map((template) => template.stickers));
  return Array.from({ length: most }, (_, index) => index).flatMap((index) =>
    templates.filter((template) => index < template.stickers).map((template) => stickerUrl(template, index, language)),
  );
}
