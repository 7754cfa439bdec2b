/** The photo on its way: real bytes as a bar, and the truth when it is slow. */
import { Cancel } from '../parts/controls.tsx';
import { Disc, Scene } from '../parts/frame.tsx';
import { isSlow } from '../machine/upload.ts';
import { moodUrl } from '../stickers.ts';
import type { View } from '../view.ts';

/** Sending. */
export function Sending({ view }: { view: View }) {
  const { state, t } = view;
  const share = state.screen.name === 'sending' ? state.screen.share : 0;
  const slow = isSlow(state);
  return (
    <Scene
      picture={<Disc url={moodUrl(state.templates, 'sending', state.language)} />}
      title={t('send.title')}
      out={slow ? <Cancel view={view} /> : null}
    >
      <Bar share={share} name={t('say.sent', { percent: Math.round(share * 100) })} />
      <p class="lead" role="status">{slow ? t('send.slow') : ''}</p>
    </Scene>
  );
}

function Bar({ share, name }: { share: number; name: string }) {
  return (
    <svg class="bar" viewBox="0 0 400 20" preserveAspectRatio="none" role="img" aria-label={name}>
      <rect class="bar-rest" width="400" height="20" />
      <rect class="bar-done" width={400 * share} height="20" />
    </svg>
  );
}
