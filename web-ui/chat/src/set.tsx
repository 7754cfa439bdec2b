/** A sticker set as a grid on the chat's green: a tap sends the sticker, a button adds the set to the tray. */
import { useEffect, useState } from 'preact/hooks';
import * as api from './api.ts';
import { TickIcon } from './icons.tsx';
import { plural } from './texts.ts';
import type { StickerSet } from './types.ts';
import { useWords } from './words.tsx';

/** A set that is being fetched, is here, or is not there. */
export type Opened = StickerSet | 'loading' | 'gone';

/** Fetches a set by name; `null` fetches nothing. */
export function useSet(name: string | null): Opened {
  const [opened, setOpened] = useState<Opened>('loading');
  useEffect(() => {
    setOpened('loading');
    if (name === null) return undefined;
    let stale = false;
    api.stickerSet(name).then(
      (set) => !stale && setOpened(set),
      () => !stale && setOpened('gone'),
    );
    return () => {
      stale = true;
    };
  }, [name]);
  return opened;
}

/** The title and the count, for the head of whatever shows the set. */
export function useSetWords(opened: Opened): { title: string; count: string } {
  const { t, language } = useWords();
  if (opened === 'loading' || opened === 'gone') {
    return { title: t.set, count: opened === 'gone' ? t.setGone : t.loading };
  }
  return { title: opened.title, count: plural(t.setCount, opened.stickers.length, language) };
}

/** The grid of a set. Without `send` the stickers are only looked at. */
export function SetGrid({ opened, send }: { opened: Opened; send: ((index: number) => void) | null }) {
  const { t } = useWords();
  if (opened === 'gone') {
    return <p class="set-gone">{t.setGone}</p>;
  }
  if (opened === 'loading') {
    return <p class="set-gone">{t.loading}</p>;
  }
  return (
    <ul class="set-grid">
      {opened.stickers.map((sticker, at) => {
        const label = `${t.sticker} ${at + 1} ${sticker.emoji ?? ''}`.trim();
        const picture = (
          <img src={api.fileAddress(sticker.file)} width={sticker.width} height={sticker.height} alt={label} />
        );
        return (
          <li key={`${at}:${sticker.file}`}>
            {send === null ? (
              <span class="set-sticker">{picture}</span>
            ) : (
              <button type="button" class="set-sticker" data-sticker={at} onClick={() => send(at)}>
                {picture}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** "Add" turns into "added", which takes the set away again. */
export function AddButton({ added, toggle }: { added: boolean; toggle: () => void }) {
  const { t } = useWords();
  return (
    <button
      type="button"
      class={added ? 'add added' : 'add'}
      data-action="add-set"
      aria-pressed={added}
      onClick={toggle}
    >
      {added && <TickIcon />}
      <span>{added ? t.added : t.add}</span>
    </button>
  );
}

/** The sets that the person added, above the composer. */
export function Tray(props: {
  sets: string[];
  send: (set: string, index: number) => void;
  open: (name: string) => void;
}) {
  const { t } = useWords();
  return (
    <section class="tray" aria-label={t.stickers}>
      {props.sets.length === 0 && <p>{t.noStickers}</p>}
      {props.sets.map((name) => (
        <TraySet key={name} name={name} send={(index) => props.send(name, index)} open={() => props.open(name)} />
      ))}
    </section>
  );
}

function TraySet({ name, send, open }: { name: string; send: (index: number) => void; open: () => void }) {
  const opened = useSet(name);
  const { title } = useSetWords(opened);
  return (
    <div class="tray-set">
      <button type="button" class="tray-title" onClick={open}>
        {title}
      </button>
      <SetGrid opened={opened} send={send} />
    </div>
  );
}
