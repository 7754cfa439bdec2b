/** Which screen stands on the tablet, in which light and colour. */
import { useEffect, useState } from 'preact/hooks';
import { say, type Language } from '../../shared/texts/index.ts';
import type { Camera } from './effects/camera.ts';
import type { Api } from './effects/api.ts';
import type { Memory } from './effects/memory.ts';
import { pictures } from './effects/pictures.ts';
import type { Kiosk } from './effects/store.ts';
import { shown } from './machine/machine.ts';
import type { ScreenName } from './machine/model.ts';
import { MessageChip, NetworkChip, Top } from './parts/frame.tsx';
import { IdleQuestion } from './parts/idle.tsx';
import { Attract } from './screens/attract.tsx';
import { CameraScreen } from './screens/camera.tsx';
import { Check } from './screens/check.tsx';
import { Consent } from './screens/consent.tsx';
import { Done, Failed, Problem, Progress, Ready } from './screens/endings.tsx';
import { Outfits } from './screens/outfits.tsx';
import { Break, Offline } from './screens/pauses.tsx';
import { Qr } from './screens/qr.tsx';
import { Queue } from './screens/queue.tsx';
import { Sending } from './screens/sending.tsx';
import { Setup } from './screens/setup.tsx';
import { allUrls } from './stickers.ts';
import { words, type View } from './view.ts';

const screens: Record<ScreenName, (props: { view: View }) => preact.ComponentChildren> = {
  attract: Attract,
  qr: Qr,
  consent: Consent,
  outfits: Outfits,
  camera: CameraScreen,
  check: Check,
  sending: Sending,
  queue: Queue,
  done: Done,
  ready: Ready,
  progress: Progress,
  failed: Failed,
  problem: Problem,
  break: Break,
  offline: Offline,
  setup: Setup,
};

/** Screens whose light is the lamp on the guest's face: bright in a dark hall too. */
const lamps: ScreenName[] = ['camera', 'check'];

/** Screens that have a place of their own for a message, or no guest to read it. */
const saysItself: ScreenName[] = ['attract', 'camera', 'setup'];

interface AppProps {
  kiosk: Kiosk;
  api: Api;
  memory: Memory;
  camera: Camera;
}

/** The page. */
export function App({ kiosk, api, memory, camera }: AppProps) {
  const [state, setState] = useState(kiosk.state());
  useEffect(() => kiosk.listen(setState), [kiosk]);
  const name = shown(state);
  const view: View = { state, send: kiosk.send, t: words(state), api, memory, camera };
  useEffect(() => dress(name, memory, state.language));
  useEffect(() => {
    if (!['camera', 'check', 'setup'].includes(name)) camera.close();
  }, [name]);
  useEffect(() => pictures.ahead(allUrls(state.templates, state.language)), [state.templates, state.language]);
  const Screen = screens[name];
  return (
    <div class="kiosk" data-screen={name} onPointerDown={() => kiosk.send({ type: 'touched' })}>
      <div class="content" key={name} inert={state.askingUntil !== null}>
        <Screen view={view} />
      </div>
      {name === 'setup' ? null : <Top view={view} />}
      {saysItself.includes(name) ? null : <MessageChip view={view} />}
      {name === 'setup' || name === 'offline' ? null : <NetworkChip view={view} />}
      {state.askingUntil === null ? null : <IdleQuestion view={view} />}
    </div>
  );
}

/** The root carries language and light, so that style and screen readers follow; the page's title speaks the same language. */
function dress(name: ScreenName, memory: Memory, language: Language): void {
  const root = document.documentElement;
  root.lang = language;
  document.title = say(language, 'page.title');
  if (memory.venue() === 'dark' && !lamps.includes(name)) root.dataset['venue'] = 'dark';
  else delete root.dataset['venue'];
}
