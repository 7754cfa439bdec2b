/** The screens that end a visit: done, a pack that exists or is on its way, a failure, a camera that does not answer. */
import type { TextKey } from '../../../shared/texts/index.ts';
import { Confetti } from '../parts/confetti.tsx';
import { Button } from '../parts/controls.tsx';
import { Disc, Scene } from '../parts/frame.tsx';
import { Sticker } from '../parts/sticker.tsx';
import { moodUrl, type Mood } from '../stickers.ts';
import type { View } from '../view.ts';

/** Done: only house stickers, because the next guest stands behind. */
export function Done({ view }: { view: View }) {
  const { state, t } = view;
  const moods = ['thanks', 'love', 'cheer'] as const;
  const urls = moods.map((mood) => moodUrl(state.templates, mood, state.language)).filter((url) => url !== null);
  return (
    <>
      <Confetti />
      <Scene
        picture={
          <div class="trio" aria-hidden="true">
            {urls.map((url, index) => <div key={url} class={`stuck of-three-${index}`}><Sticker url={url} /></div>)}
          </div>
        }
        title={t('done.title')}
        main={<Leave view={view} name="done.go" />}
      >
        <p class="lead">{t('done.sub')}</p>
      </Scene>
    </>
  );
}

function Leave({ view, name }: { view: View; name: TextKey }) {
  return <Button action="ok" onTap={() => view.send({ type: 'leave_tapped' })}>{view.t(name)}</Button>;
}

interface NoticeProps {
  view: View;
  title: TextKey;
  line: TextKey | null;
  mood: Mood;
}

/** What is, where it is, one button. */
export function Notice({ view, title, line, mood }: NoticeProps) {
  return (
    <Scene
      picture={<Disc url={moodUrl(view.state.templates, mood, view.state.language)} />}
      title={view.t(title)}
      main={<Leave view={view} name="queue.go" />}
    >
      {line === null ? null : <p class="lead">{view.t(line)}</p>}
    </Scene>
  );
}

/** The guest has a pack. */
export const Ready = ({ view }: { view: View }) => (
  <Notice view={view} title="ready.title" line="ready.sub" mood="ready" />
);

/** The guest's pack is being drawn. */
export const Progress = ({ view }: { view: View }) => (
  <Notice view={view} title="progress.title" line="progress.sub" mood="waiting" />
);

/** It could not be drawn; the bot has written. */
export const Failed = ({ view }: { view: View }) => (
  <Notice view={view} title="failed.title" line="failed.sub" mood="sorry" />
);

/** The camera does not answer or is not allowed. */
export function Problem({ view }: { view: View }) {
  const fault = view.state.screen.name === 'problem' ? view.state.screen.fault : 'camera';
  return <Notice view={view} title={`refuse.${fault}`} line={null} mood="sorry" />;
}
