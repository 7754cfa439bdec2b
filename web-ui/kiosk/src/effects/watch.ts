/** The clocks and ears of the page: ticks, the session's events, looks at the house, the heartbeat, the screen's light. */
import { watched } from '../machine/machine.ts';
import type { Camera } from './camera.ts';
import { readSession, type Api } from './api.ts';
import type { Memory } from './memory.ts';
import { look, tellAnswer, type Kiosk } from './store.ts';

/** How often things are looked at, in milliseconds. */
const every = {
  tick: 250,
  /** The house: a break, a newer page, and whether the network is there. */
  house: 15_000,
  /** The house while the network is lost. */
  probe: 2_000,
  /** The session beside its event stream, which can die silently. */
  look: 10_000,
  heartbeat: 30_000,
  /** Before an event stream that ended is opened again. */
  reopen: 1_500,
} as const;

/** Starts everything that runs as long as the page does. */
export function watch(kiosk: Kiosk, api: Api, memory: Memory, camera: Camera): void {
  setInterval(() => kiosk.send({ type: 'tick' }), every.tick);
  watchHouse(kiosk, api);
  watchSession(kiosk, api);
  beat(kiosk, api, memory, camera);
  stayAwake();
  window.addEventListener('offline', () => kiosk.send({ type: 'network_lost' }));
}

/** Looks at the house every 15 s, and every 2 s while there is no network. One look at a time. */
function watchHouse(kiosk: Kiosk, api: Api): void {
  let looking = false;
  let lookedAt = -Infinity;
  async function lookIn(): Promise<void> {
    looking = true;
    lookedAt = performance.now();
    const maintenance = await api.maintenance();
    tellAnswer(maintenance, kiosk.send, (on) => kiosk.send({ type: 'maintenance_seen', on }), () => {});
    if (maintenance.is !== 'lost') {
      tellAnswer(await api.config(), kiosk.send, (config) => kiosk.send({ type: 'config_loaded', config }), () => {});
      await loadTemplates(kiosk, api);
    }
    looking = false;
  }
  void lookIn();
  setInterval(() => {
    const due = kiosk.state().offlineSince === null ? every.house : every.probe;
    if (!looking && performance.now() - lookedAt >= due) void lookIn();
  }, every.tick);
}

/** Outfits are read until there are some, and again while nobody is here, so that a new one appears by itself. */
async function loadTemplates(kiosk: Kiosk, api: Api): Promise<void> {
  const state = kiosk.state();
  if (state.templates.length > 0 && state.screen.name !== 'attract') return;
  tellAnswer(await api.templates(), kiosk.send, (templates) => kiosk.send({ type: 'templates_loaded', templates }), () => {});
}

/** Follows the events of the session on the screen, and looks at it now and then in case the stream is dead. */
function watchSession(kiosk: Kiosk, api: Api): void {
  let token: string | null = null;
  let source: EventSource | null = null;
  let reopenAt: number | null = null;
  let lookedAt = -Infinity;

  function open(): void {
    source?.close();
    reopenAt = null;
    if (token === null) return;
    source = new EventSource(api.eventsUrl(token));
    source.onmessage = (message) => hear(kiosk, message.data);
    source.onerror = () => {
      source?.close();
      reopenAt = performance.now() + every.reopen;
      void lookNow();
    };
  }

  async function lookNow(): Promise<void> {
    lookedAt = performance.now();
    if (token !== null) await look(api, kiosk, token);
  }

  function attend(): void {
    const wanted = watched(kiosk.state());
    if (wanted !== token) {
      token = wanted;
      source?.close();
      source = null;
      lookedAt = performance.now();
      open();
    }
  }

  attend();
  void lookNow();
  kiosk.listen(attend);
  setInterval(() => {
    const now = performance.now();
    if (token === null) return;
    if (reopenAt !== null && now >= reopenAt) open();
    if (now - lookedAt >= every.look) void lookNow();
  }, every.tick);
}

function hear(kiosk: Kiosk, data: unknown): void {
  if (typeof data !== 'string') return;
  try {
    kiosk.send({ type: 'session_changed', session: readSession(JSON.parse(data)) });
  } catch {
    // An event of another shape says nothing; the look every ten seconds finds the truth.
  }
}

/** Tells the operators that this tablet lives, with its camera and battery. */
function beat(kiosk: Kiosk, api: Api, memory: Memory, camera: Camera): void {
  async function once(): Promise<void> {
    const battery = await readBattery();
    await api.pulse({
      kiosk: memory.kiosk(),
      camera: await camera.health(),
      battery: battery === null ? null : battery.percent,
      version: kiosk.state().loadedVersion ?? '',
    });
  }
  void once();
  setInterval(() => void once(), every.heartbeat);
}

/** The battery as a whole per cent; none where the browser does not tell. */
export async function readBattery(): Promise<{ percent: number; charging: boolean } | null> {
  const source = navigator as Navigator & { getBattery?: () => Promise<{ level: number; charging: boolean }> };
  try {
    const battery = await source.getBattery?.();
    return battery === undefined ? null : { percent: Math.round(battery.level * 100), charging: battery.charging };
  } catch {
    return null;
  }
}

/** Keeps the screen lit; the browser drops the lock whenever the page is hidden. */
function stayAwake(): void {
  async function hold(): Promise<void> {
    if (document.visibilityState !== 'visible') return;
    try {
      await navigator.wakeLock?.request('screen');
    } catch {
      // A low battery may refuse; the next time the page is shown it is asked for again.
    }
  }
  void hold();
  document.addEventListener('visibilitychange', () => void hold());
  document.addEventListener('pointerup', () => void hold(), { once: true });
}
