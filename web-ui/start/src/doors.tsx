/** The five doors: arches side by side, rows on a phone. A door to a part that is not there yet says so and does not open. */
import { useState } from 'preact/hooks';
import { DOORS, type Demo, type Door, stickerOf } from './demo.ts';
import { DoorDrawing } from './drawings.tsx';
import type { Texts } from './texts.ts';

/** The list of doors; before the program has answered none of them opens. */
export function Doors({ demo, t }: { demo: Demo | null; t: Texts }) {
  return (
    <ol class="doors" aria-busy={demo === null}>
      {DOORS.map((door, at) => (
        <li key={door}>
          <OneDoor door={door} number={at + 1} demo={demo} t={t} />
        </li>
      ))}
    </ol>
  );
}

function OneDoor({ door, number, demo, t }: { door: Door; number: number; demo: Demo | null; t: Texts }) {
  const url = demo?.urls[door] ?? null;
  const inside = (
    <>
      <span class={`arch arch-${door}`}>
        <span class="number" aria-hidden="true">
          {number}
        </span>
        <Picture url={stickerOf(demo, door)} door={door} />
      </span>
      <span class="door-words">
        <b>{t[door]}</b>
        <span>{t[`${door}Line`]}</span>
        {door === 'admin' && demo?.admin && (
          <span class="key">
            {t.login} <b>{demo.admin.login}</b>, {t.password} <b>{demo.admin.password}</b>
          </span>
        )}
        {demo !== null && url === null && <span class="later">{t.later}</span>}
        {url !== null && <span class="visually-hidden">, {t.opens}</span>}
      </span>
    </>
  );
  // The name of the tab makes a second visit return to the same one.
  return url === null ? (
    <div class="door closed" data-door={door}>
      {inside}
    </div>
  ) : (
    <a class="door" data-door={door} href={url} target={`stickers-${door}`}>
      {inside}
    </a>
  );
}

function Picture({ url, door }: { url: string | null; door: Door }) {
  const [broken, setBroken] = useState<string | null>(null);
  if (url === null || broken === url) {
    return <DoorDrawing door={door} />;
  }
  return <img src={url} alt="" width="512" height="512" onError={() => setBroken(url)} />;
}
