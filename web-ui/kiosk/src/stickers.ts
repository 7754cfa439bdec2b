/** House stickers: the sample pictures of the outfits, which are the only faces on a screen that is nobody's. */
import type { Template } from './machine/model.ts';

/** The slots of an outfit that screens ask for by their mood. */
export const slot = { hi: 0, laugh: 1, love: 2, like: 3, think: 4, sleep: 5, party: 7, thanks: 8 } as const;

/** A sample sticker of an outfit. */
export function stickerUrl(template: Template, index: number): string {
  if (index === 0 && template.previewUrl !== '') return template.previewUrl;
  return `/templates/${encodeURIComponent(template.id)}/stickers/${index}.webp`;
}

/** The sticker of a mood from one of the outfits; none when there are no outfits yet. */
export function moodUrl(templates: Template[], wish: number, mood: number): string | null {
  if (templates.length === 0) return null;
  const template = templates[wish % templates.length];
  if (template === undefined) return null;
  return stickerUrl(template, mood < template.stickers ? mood : 0);
}

/** Stickers for the start screen, so mixed that neighbours differ in outfit and mood. */
export function parade(templates: Template[]): string[] {
  const moods = [slot.love, slot.hi, slot.party, slot.laugh, slot.like, slot.thanks];
  const urls = moods.flatMap((_, round) =>
    templates.map((template, index) => {
      const mood = moods[(index + round) % moods.length] ?? slot.hi;
      return stickerUrl(template, mood < template.stickers ? mood : 0);
    }),
  );
  return [...new Set(urls)];
}

/** Every picture that a screen may want, the first ones of each outfit first. */
export function allUrls(templates: Template[]): string[] {
  const most = Math.max(0, ...templates.map((template) => template.stickers));
  return Array.from({ length: most }, (_, index) => index).flatMap((index) =>
    templates.filter((template) => index < template.stickers).map((template) => stickerUrl(template, index)),
  );
}
