/** Starts the kiosk page: memory, machine, ears, screens. */
import { render } from 'preact';
import '../../shared/fonts.css';
import '../../shared/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/scene.css';
import './styles/attract.css';
import './styles/pictures.css';
import './styles/outfits.css';
import './styles/camera.css';
import './styles/setup.css';
import { App } from './app.tsx';
import { connect } from './effects/api.ts';
import { frontCamera } from './effects/camera.ts';
import { readFragment, remember, type Memory } from './effects/memory.ts';
import { pressAtOnce } from './effects/press.ts';
import { run, type Kiosk } from './effects/store.ts';
import { watch } from './effects/watch.ts';
import { begin } from './machine/model.ts';

/** A name for a tablet that was given none: short enough to read out. */
function freshName(): string {
  return `tablet-${crypto.getRandomValues(new Uint16Array(1))[0]?.toString(36) ?? '0'}`;
}

/** Takes key and name out of the address, so that neither stays where a guest could read it. */
function readAddress(memory: Memory): boolean {
  const { key, kiosk, setup } = readFragment(location.hash);
  if (key !== null) memory.setKey(key);
  if (kiosk !== null) memory.setKiosk(kiosk);
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return setup;
}

function start(root: HTMLElement): void {
  const memory = remember(box(), freshName);
  const setup = readAddress(memory);
  const api = connect(memory.key);
  const camera = frontCamera();
  const kiosk: Kiosk = run(
    { api, memory, now: () => Date.now(), pause: (ms) => new Promise((go) => setTimeout(go, ms)), reload: () => location.reload() },
    begin(memory.language(), memory.kept(), Date.now()),
  );
  if (setup) kiosk.send({ type: 'setup_opened' });
  watch(kiosk, api, memory, camera);
  window.addEventListener('hashchange', () => {
    if (readAddress(memory)) kiosk.send({ type: 'setup_opened' });
  });
  pressAtOnce();
  render(<App kiosk={kiosk} api={api} memory={memory} camera={camera} />, root);
}

/** A browser may forbid storage altogether; then nothing outlives a reload, and everything else works. */
function box(): Storage {
  try {
    return window.localStorage;
  } catch {
    const values = new Map<string, string>();
    return {
      length: 0,
      key: () => null,
      clear: () => values.clear(),
      getItem: (name) => values.get(name) ?? null,
      setItem: (name, value) => void values.set(name, value),
      removeItem: (name) => void values.delete(name),
    };
  }
}

const root = document.getElementById('kiosk');
if (root !== null) start(root);
