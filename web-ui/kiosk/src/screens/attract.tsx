/** The start screen calls: stickers are stuck on one by one, one is swapped now and then; the whole screen is START. */
import { useEffect, useState } from 'preact/hooks';
import { Disc, MessageChip, Title } from '../parts/frame.tsx';
import { Sticker } from '../parts/sticker.tsx';
import { Dots } from '../parts/controls.tsx';
import { parade } from '../stickers.ts';
import type { View } from '../view.ts';

/** Stickers on the screen at once, and how long one stays. */
const places = 5;
const swapMs = { moving: 4_000, still: 8_000 };

/** Attract. */
export function Attract({ view }: { view: View }) {
  const { state, send, t } = view;
  const starting = state.screen.name === 'attract' && state.screen.starting;
  return (
    <>
      <button
        type="button"
        class="cover"
        data-action="start"
        aria-label={t('attract.go')}
        aria-busy={starting}
        onClick={() => send({ type: 'start_tapped' })}
      />
      <main class="scene attract">
        <div class="picture">
          <Parade urls={parade(state.templates, state.language)} />
        </div>
        <div class="words">
          <Title text={t('attract.title')} class="shout" />
          {state.message === null ? <p class="lead">{t('attract.sub')}</p> : <MessageChip view={view} look="in-words" />}
        </div>
        <div class="main">
          <span class="button main start" aria-hidden="true">
            {t('attract.go')}
            {starting ? <Dots /> : null}
          </span>
        </div>
        <p class="foot">{t('attract.foot')}</p>
      </main>
      <div class="band" aria-hidden="true" />
    </>
  );
}

/** Five stickers; every few seconds the next place takes the next picture. */
function Parade({ urls }: { urls: string[] }) {
  const [swaps, setSwaps] = useState(0);
  const many = urls.length > places;
  useEffect(() => {
    if (!many) return;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const timer = setInterval(() => setSwaps((count) => count + 1), still ? swapMs.still : swapMs.moving);
    return () => clearInterval(timer);
  }, [many]);
  if (urls.length === 0) return <Disc url={null} />;
  return (
    <div class="parade" aria-hidden="true">
      {Array.from({ length: Math.min(places, urls.length) }, (_, place) => {
        const url = urls[pictureAt(place, swaps) % urls.length] ?? '';
        return (
          <div key={place} class={`stuck at-${place}`}>
            <Sticker url={url} peel />
          </div>
        );
      })}
    </div>
  );
}

/** Which picture stands at `place` after so many swaps; swaps go round the places one after another. */
export function pictureAt(place: number, swaps: number): number {
  const rounds = Math.floor((swaps + places - 1 - place) / places);
  return place + rounds * places;
}
