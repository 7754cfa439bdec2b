/** What stands for a message where there is room for a line only: in a quote, above the composer. */
import type { Texts } from './texts.ts';
import type { Message } from './types.ts';

/** The text if there is one, else a word for the kind of message in the reader's language. */
export function gist(message: Message, t: Texts): string {
  const said = message.service ?? message.text;
  if (said) return said;
  if (message.sticker) return `${message.sticker.emoji ?? ''} ${t.sticker}`.trim();
  return message.photo ? t.photo : (message.document?.name ?? t.file);
}
