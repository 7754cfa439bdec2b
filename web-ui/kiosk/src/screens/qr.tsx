/** The QR: dark on white in every hall, a ring that tells the time, and the time in words. */
import { useEffect, useState } from 'preact/hooks';
import { Cancel } from '../parts/controls.tsx';
import { Pill, Scene } from '../parts/frame.tsx';
import { Clock } from '../parts/icons.tsx';
import { timing } from '../machine/model.ts';
import type { View } from '../view.ts';

/** QR and its ring. */
export function Qr({ view }: { view: View }) {
  const { state, t } = view;
  const screen = state.screen;
  const svg = screen.name === 'qr' ? screen.qrSvg : '';
  const link = screen.name === 'qr' && state.demo ? screen.deepLink : null;
  const left = screen.name === 'qr' ? Math.max(0, screen.until - state.now) : 0;
  const seconds = Math.ceil(left / 1000);
  const hurry = left <= timing.qrHurry;
  return (
    <Scene
      picture={
        <div class={`ring ${hurry ? 'hurry' : ''}`}>
          <Ring share={(seconds * 1000) / timing.qr} />
          {link === null ? (
            <QrPicture svg={svg} name={t('say.qr')} />
          ) : (
            <a class="qr-link" href={link} target="_blank" rel="noopener" data-action="open-phone">
              <QrPicture svg={svg} name={t('say.qr')} />
            </a>
          )}
        </div>
      }
      title={t('qr.title')}
      out={<Cancel view={view} />}
    >
      <p class="lead">{t('qr.sub')}</p>
      <Pill look={hurry ? 'hurry' : ''}>
        <Clock />
        <span role="timer">{t('qr.time', { time: clock(seconds) })}</span>
      </Pill>
      {link === null ? null : <p class="demo-note">{t('demo.phone')}</p>}
    </Scene>
  );
}

/** The server's drawing as a picture of its own, so that no markup from outside enters the page. */
function QrPicture({ svg, name }: { svg: string; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return url === null ? null : <img class="qr" src={url} alt={name} data-qr draggable={false} />;
}

const around = 2 * Math.PI * 94;

function Ring({ share }: { share: number }) {
  return (
    <svg viewBox="0 0 200 200" aria-hidden="true" focusable="false">
      <circle class="ring-rim" cx="100" cy="100" r="94" />
      <circle
        class="ring-time"
        cx="100"
        cy="100"
        r="94"
        stroke-dasharray={`${around * Math.min(1, share)} ${around}`}
        transform="rotate(-90 100 100)"
      />
    </svg>
  );
}

/** Seconds as `1:12`. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
