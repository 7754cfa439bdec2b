/** The place in line, an honest wait, and the word that the guest can go. */
import type { TextKey } from '../../../shared/texts/index.ts';
import { Button } from '../parts/controls.tsx';
import { Disc, Pill, Scene } from '../parts/frame.tsx';
import { Clock } from '../parts/icons.tsx';
import type { Job } from '../machine/model.ts';
import { moodUrl } from '../stickers.ts';
import type { View } from '../view.ts';

/** Above so many minutes no number is promised. */
const minutesMax = 10;

/** The queue. */
export function Queue({ view }: { view: View }) {
  const { state, send, t } = view;
  if (state.screen.name !== 'queue') return null;
  const { job, wait } = state.screen;
  return (
    <Scene
      picture={<Disc url={moodUrl(state.templates, 'waiting', state.language)} />}
      over={wait === null ? null : <Pill><Clock /><span>{waitText(view, wait)}</span></Pill>}
      title={placeText(view, job)}
      main={<Button action="ok" onTap={() => send({ type: 'leave_tapped' })}>{t('queue.go')}</Button>}
    >
      <p class="lead">{t('queue.sub')}</p>
      <Steps view={view} job={job} />
    </Scene>
  );
}

/** The wait in words. */
function waitText(view: View, wait: number): string {
  return wait > minutesMax ? view.t('queue.long') : view.t('queue.wait', { minutes: wait });
}

function placeText(view: View, job: Job): string {
  if (job.status !== 'queued') return view.t('queue.drawing');
  return job.position === null || job.position <= 1 ? view.t('queue.next') : view.t('queue.title', { place: job.position });
}

type Look = 'done' | 'now' | 'later';

/** How far each of the three steps is. */
export function stepLooks(job: Job): [Look, Look, Look] {
  return job.status === 'delivering' ? ['done', 'done', 'now'] : ['done', 'now', 'later'];
}

function Steps({ view, job }: { view: View; job: Job }) {
  const names: [TextKey, TextKey, TextKey] = ['queue.s1', 'queue.s2', 'queue.s3'];
  const looks = stepLooks(job);
  return (
    <ol class="steps" aria-label={view.t('say.steps')}>
      {names.map((name, index) => {
        const look = looks[index] ?? 'later';
        return (
          <li key={name} class={look} aria-current={look === 'now' ? 'step' : undefined}>
            <i aria-hidden="true" />
            <span>{view.t(name)}</span>
            <span class="unseen">{view.t(`say.${look}`)}</span>
          </li>
        );
      })}
    </ol>
  );
}
