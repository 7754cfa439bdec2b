/** Measures what a visit needs: camera, network, key, battery, full screen; again every five seconds. */
import { useEffect, useState } from 'preact/hooks';
import { readBattery } from '../effects/watch.ts';
import type { View } from '../view.ts';

/** What was measured last. */
export interface Checks {
  camera: { is: 'checking' | 'denied' | 'camera' } | { is: 'works'; size: { width: number; height: number } };
  network: { is: 'checking' | 'none' } | { is: 'there'; ms: number };
  key: 'checking' | 'good' | 'bad';
  battery: { percent: number; charging: boolean } | null;
  full: boolean;
}

const everyMs = 5_000;

/** The measurements, renewed as long as the page stands. */
export function useChecks(view: View): Checks {
  const [checks, setChecks] = useState<Checks>({
    camera: { is: 'checking' },
    network: { is: 'checking' },
    key: 'checking',
    battery: null,
    full: document.fullscreenElement !== null,
  });
  useEffect(() => {
    let here = true;
    let looking = false;
    const put = (part: Partial<Checks>): void => {
      if (here) setChecks((before) => ({ ...before, ...part }));
    };
    async function look(): Promise<void> {
      if (looking) return;
      looking = true;
      await Promise.all([camera(view, put), network(view, put), battery(put)]);
      looking = false;
    }
    void look();
    const timer = setInterval(() => void look(), everyMs);
    const turn = (): void => put({ full: document.fullscreenElement !== null });
    document.addEventListener('fullscreenchange', turn);
    return () => {
      here = false;
      clearInterval(timer);
      document.removeEventListener('fullscreenchange', turn);
    };
  }, []);
  return checks;
}

type Put = (part: Partial<Checks>) => void;

async function camera(view: View, put: Put): Promise<void> {
  const opened = await view.camera.open();
  if ('fault' in opened) return put({ camera: { is: opened.fault } });
  const settings = opened.stream.getVideoTracks()[0]?.getSettings();
  put({ camera: { is: 'works', size: { width: settings?.width ?? 0, height: settings?.height ?? 0 } } });
}

/** The heartbeat needs the key, so its answer tells both: that the server is there and that the key is good. */
async function network(view: View, put: Put): Promise<void> {
  const from = performance.now();
  const health = view.camera.health();
  const answer = await view.api.pulse({
    kiosk: view.memory.kiosk(),
    camera: await health,
    battery: (await readBattery())?.percent ?? null,
    version: view.state.loadedVersion ?? '',
  });
  if (answer.is === 'lost') return put({ network: { is: 'none' } });
  const ms = Math.round(performance.now() - from);
  put({ network: { is: 'there', ms }, key: answer.is === 'refused' ? 'bad' : 'good' });
}

async function battery(put: Put): Promise<void> {
  put({ battery: await readBattery() });
}
