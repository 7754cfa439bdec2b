/** "Now look at your phone": a drawn phone with the button that is to be pressed there. */
import { Cancel } from '../parts/controls.tsx';
import { Pill, Scene } from '../parts/frame.tsx';
import type { View } from '../view.ts';

/** A name longer than this is cut. */
const nameLetters = 16;

/** Waiting for consent. */
export function Consent({ view }: { view: View }) {
  const { state, t } = view;
  const name = state.session?.first_name ?? null;
  return (
    <Scene
      picture={<Phone button={t('consent.btn')} />}
      over={name === null ? null : <Pill>{t('consent.hi', { name: shortName(name) })}</Pill>}
      title={t('consent.title')}
      out={<Cancel view={view} />}
    >
      <p class="lead">{`${t('consent.sub')} ${t('consent.btn')}`}</p>
    </Scene>
  );
}

/** A name as the tablet shows it: at most sixteen letters, whole letters, also of scripts that combine them. */
export function shortName(name: string): string {
  const letters = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(name.trim())];
  if (letters.length <= nameLetters) return name.trim();
  return `${letters.slice(0, nameLetters - 1).map((letter) => letter.segment).join('')}…`;
}

function Phone({ button }: { button: string }) {
  return (
    <div class="phone" aria-hidden="true">
      <div class="phone-text">
        <i /><i /><i /><i />
      </div>
      <div class="phone-button">{button}</div>
    </div>
  );
}
