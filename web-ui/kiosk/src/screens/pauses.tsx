/** The screens where nothing can be done but wait: the house's break and a lost network. */
import { Button } from '../parts/controls.tsx';
import { Disc, Scene } from '../parts/frame.tsx';
import { Turn, Waves } from '../parts/icons.tsx';
import { timing } from '../machine/model.ts';
import { moodUrl } from '../stickers.ts';
import type { View } from '../view.ts';

/** A short break; the page looks by itself whether it is over. */
export function Break({ view }: { view: View }) {
  const { state, t } = view;
  return (
    <>
      <Scene picture={<Disc url={moodUrl(state.templates, 'asleep', state.language)} />} title={t('maint.title')}>
        <p class="lead">{t('maint.sub')}</p>
      </Scene>
      <div class="band" aria-hidden="true" />
    </>
  );
}

/** No network. With a photo in hand the guest is told that it is safe; after a while there is a way out. */
export function Offline({ view }: { view: View }) {
  const { state, send, t } = view;
  const guest = state.session !== null;
  const waited = state.offlineSince === null ? 0 : state.now - state.offlineSince;
  const out = guest && waited >= timing.offlineOut;
  return (
    <>
      <Scene
        picture={<Waves />}
        title={t('off.title')}
        out={
          out ? (
            <Button action="restart" look="out" onTap={() => send({ type: 'cancel_tapped' })}><Turn />{t('restart')}</Button>
          ) : null
        }
      >
        <p class="lead">{t(state.photo === null ? 'off.before' : 'off.sub')}</p>
      </Scene>
      <div class="band" aria-hidden="true" />
    </>
  );
}
