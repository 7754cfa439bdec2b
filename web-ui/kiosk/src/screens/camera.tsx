/** The camera: a mirrored preview, the outline that answers, three-two-one, and the shutter. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { photograph } from '../effects/camera.ts';
import { Button } from '../parts/controls.tsx';
import { Title } from '../parts/frame.tsx';
import { Back, CameraIcon, Sign, Tick } from '../parts/icons.tsx';
import { canShoot, type Hint } from '../machine/hint.ts';
import type { View } from '../view.ts';
import { useFaceHint } from './face.ts';

const countFrom = 3;
const secondMs = 1_000;
const flashMs = 120;

/** The camera screen. */
export function CameraScreen({ view }: { view: View }) {
  const { t, send } = view;
  const video = useRef<HTMLVideoElement>(null);
  const live = usePreview(view, video);
  const hint = useFaceHint(view, video, live);
  const { left, flash, begin } = useCountdown(() => void shoot(view, video.current));
  const fault = view.state.screen.name === 'camera' ? view.state.screen.fault : null;
  const open = live && fault === null && canShoot(hint, view.state.now);
  const other = (): void => send({ type: 'other_outfit_tapped' });
  return (
    <main class="camera">
      <Title text={t('cam.title')} />
      <div class={`preview ${flash ? 'flash' : ''}`}>
        <video ref={video} autoplay muted playsInline aria-label={t('say.preview')} />
        {fault === null ? <Outline hint={hint} /> : null}
        {fault === null ? <Chip view={view} hint={hint} /> : <p class="chip wait" role="status">{t('demo.no_camera')}</p>}
        {left === null ? null : (
          <p class="count" key={left} role="status" aria-label={t('cam.countdown', { seconds: left })}>{left}</p>
        )}
      </div>
      <button
        type="button"
        class="shutter"
        data-action="shoot"
        aria-label={t('cam.go')}
        aria-disabled={!open || left !== null}
        aria-busy={left !== null}
        onClick={() => open && left === null && begin()}
      >
        <CameraIcon />
      </button>
      <div class="way-out">
        {view.state.demo ? <FilePhoto view={view} /> : null}
        <Button action="other-outfit" look="out" off={left !== null} onTap={other}><Back />{t('cam.other')}</Button>
      </div>
    </main>
  );
}

/** In the demo a photo may come from a file, for a computer without a camera. */
function FilePhoto({ view }: { view: View }) {
  const take = (input: HTMLInputElement): void => {
    const photo = input.files?.[0];
    input.value = '';
    if (photo !== undefined) view.send({ type: 'photo_taken', photo });
  };
  return (
    <label class="button out file">
      <input class="unseen" type="file" accept="image/*" data-action="photo-file" onChange={(event) => take(event.currentTarget)} />
      {view.t('demo.file')}
    </label>
  );
}

/** The line near the lens: why the last photo was not taken, for a while, and then what the face check says. */
function Chip({ view, hint }: { view: View; hint: Hint }) {
  const message = view.state.message;
  if (message !== null) {
    return <p class="chip bad" role="alert" data-message={message.key} data-look={hint.look}><Sign />{view.t(message.key)}</p>;
  }
  return (
    <p class={`chip ${hint.look}`} role="status" data-hint={hint.key} data-look={hint.look}>
      {hint.look === 'ok' ? <Tick /> : null}
      {view.t(hint.key)}
    </p>
  );
}

/** Opens the camera into the video; a camera that fails is told to the machine. */
function usePreview(view: View, video: { current: HTMLVideoElement | null }): boolean {
  const [live, setLive] = useState(false);
  const { camera, send } = view;
  useEffect(() => {
    let here = true;
    camera.onLost(() => send({ type: 'camera_failed', fault: 'camera' }));
    void camera.open().then((opened) => {
      if (!here) return;
      if ('fault' in opened) return send({ type: 'camera_failed', fault: opened.fault });
      const element = video.current;
      if (element === null) return;
      element.srcObject = opened.stream;
      element.onplaying = () => setLive(true);
      void element.play().catch(() => setLive(false));
    });
    return () => {
      here = false;
      camera.onLost(null);
    };
  }, [camera]);
  return live;
}

/** Takes the picture that the guest saw. A camera that shows nothing is a camera that fails. */
async function shoot(view: View, video: HTMLVideoElement | null): Promise<void> {
  if (video === null) return;
  const photo = await photograph(video, { width: video.clientWidth, height: video.clientHeight });
  view.send(photo === null ? { type: 'camera_failed', fault: 'camera' } : { type: 'photo_taken', photo });
}

/** Three, two, one, a short white edge, and the picture. */
function useCountdown(done: () => void): { left: number | null; flash: boolean; begin: () => void } {
  const [left, setLeft] = useState<number | null>(null);
  const [flash, setFlash] = useState(false);
  useEffect(() => {
    if (left === null) return;
    const timer = setTimeout(() => {
      if (left > 1) return setLeft(left - 1);
      setLeft(null);
      setFlash(true);
    }, secondMs);
    return () => clearTimeout(timer);
  }, [left]);
  useEffect(() => {
    if (!flash) return;
    done();
    const timer = setTimeout(() => setFlash(false), flashMs);
    return () => clearTimeout(timer);
  }, [flash]);
  return { left, flash, begin: useCallback(() => setLeft(countFrom), []) };
}

/** Two strokes, so that the outline shows on any picture; grey dashes wait, green with a tick is good. */
function Outline({ hint }: { hint: Hint }) {
  useEffect(() => {
    if (hint.look === 'ok') navigator.vibrate?.(8);
  }, [hint.look]);
  return (
    <svg class={`outline ${hint.look}`} viewBox="0 0 100 120" aria-hidden="true" focusable="false">
      <ellipse class="outline-edge" cx="50" cy="60" rx="46" ry="56" />
      <ellipse class="outline-line" cx="50" cy="60" rx="46" ry="56" />
      {hint.look === 'ok' ? (
        <g class="outline-tick">
          <circle cx="84" cy="100" r="8.5" />
          <path d="M80 100.3l3 3 5.5-6" />
        </g>
      ) : null}
    </svg>
  );
}
