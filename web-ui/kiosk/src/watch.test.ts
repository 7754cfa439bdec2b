/** The clocks and ears of the page on a clock that is moved by hand: how often it tells, looks and listens. */
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import type { Answer, Api, Pulse } from './effects/api.ts';
import type { Camera } from './effects/camera.ts';
import { remember } from './effects/memory.ts';
import { run, type Kiosk } from './effects/store.ts';
import { watch } from './effects/watch.ts';
import { begin, type Session } from './machine/model.ts';

/** An event stream that the test ends or speaks through. */
class Stream {
  static opened: Stream[] = [];
  onmessage: ((message: { data: unknown }) => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;
  constructor(readonly url: string) {
    Stream.opened.push(this);
  }
  close(): void {
    this.closed = true;
  }
}

/** The page around the kiosk, as far as the clocks and ears need it. */
class Page {
  pulses: Pulse[] = [];
  looks = { house: 0, session: 0 };
  locks = 0;
  visible = true;
  network = true;
  session: Session = {
    token: 'tok', status: 'linked', template_id: null, closed_reason: null, notice: null, first_name: null, language: null, job: null,
  };
  private readonly ears = new Map<string, (() => void)[]>();
  readonly kiosk: Kiosk;
  private time = 0;

  constructor() {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    mock.method(performance, 'now', () => this.time);
    Stream.opened = [];
    const listen = (name: string, hear: () => void, options?: { once?: boolean }): void => {
      const heard = options?.once === true ? (): void => (this.ears.set(name, (this.ears.get(name) ?? []).filter((ear) => ear !== heard)), hear()) : hear;
      this.ears.set(name, [...(this.ears.get(name) ?? []), heard]);
    };
    const page = this;
    const globals: Record<string, unknown> = {
      window: { addEventListener: listen },
      document: {
        addEventListener: listen,
        get visibilityState() {
          return page.visible ? 'visible' : 'hidden';
        },
      },
      navigator: {
        wakeLock: { request: async () => void (this.locks += 1) },
        getBattery: async () => ({ level: 0.804, charging: false }),
      },
      EventSource: Stream,
    };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true });
    const memory = remember({ getItem: () => null, setItem: () => {}, removeItem: () => {} }, () => 'tablet-7');
    const camera: Camera = { open: async () => ({ fault: 'camera' }), close: () => {}, onLost: () => {}, health: async () => 'denied' };
    const api = this.api();
    const outside = { api, memory, now: () => this.time, pause: async () => {}, reload: () => {} };
    this.kiosk = run(outside, begin('ru', null, 0));
    watch(this.kiosk, api, memory, camera);
  }

  private api(): Api {
    const value = <T>(of: T): Answer<T> => (this.network ? { is: 'value', value: of } : { is: 'lost' });
    const never = async (): Promise<Answer<never>> => ({ is: 'lost' });
    return {
      openSession: async () => value({ token: 'tok', deepLink: 'https://t.me/b?start=tok', qrSvg: '<svg/>' }),
      session: async () => ((this.looks.session += 1), value(this.session)),
      choose: never,
      upload: never,
      face: async () => ({ is: 'unknown' }),
      expire: async () => value(null),
      pulse: async (pulse) => (this.pulses.push(pulse), value(null)),
      templates: async () => value([]),
      config: async () => value({ eventName: 'Fest', brandName: '', version: '1.2.3' }),
      maintenance: async () => ((this.looks.house += 1), value(false)),
      eventsUrl: (token) => `/session/${token}/events`,
    };
  }

  /** Lets `ms` pass in quarter seconds, with everything that comes of it. */
  async passes(ms: number): Promise<void> {
    await settle();
    for (let left = ms; left > 0; left -= 250) {
      this.time += 250;
      mock.timers.tick(250);
      await settle();
    }
  }

  hears(name: string): void {
    for (const hear of this.ears.get(name) ?? []) hear();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise<void>((go) => setImmediate(go));
}

afterEach(() => {
  mock.timers.reset();
  mock.reset();
});

test('the tablet says that it lives at the start and every 30 seconds, with camera, battery and page', async () => {
  const page = new Page();
  await page.passes(29_750);
  assert.equal(page.pulses.length, 1);
  await page.passes(250);
  assert.equal(page.pulses.length, 2);
  assert.deepEqual(page.pulses[1], { kiosk: 'tablet-7', camera: 'denied', battery: 80, version: '1.2.3' });
  await page.passes(60_000);
  assert.equal(page.pulses.length, 4);
});

test('the screen is kept awake, and again when the page comes back to the front', async () => {
  const page = new Page();
  await settle();
  assert.equal(page.locks, 1);
  page.visible = false;
  page.hears('visibilitychange');
  await settle();
  assert.equal(page.locks, 1, 'a hidden page holds nothing');
  page.visible = true;
  page.hears('visibilitychange');
  await settle();
  assert.equal(page.locks, 2);
  // A browser that wants a touch before it keeps the screen lit gets one.
  page.hears('pointerup');
  page.hears('pointerup');
  await settle();
  assert.equal(page.locks, 3);
});

test('the house is looked at every 15 seconds, and every 2 while there is no network', async () => {
  const page = new Page();
  await page.passes(14_750);
  assert.equal(page.looks.house, 1);
  await page.passes(250);
  assert.equal(page.looks.house, 2);
  page.network = false;
  page.hears('offline');
  assert.notEqual(page.kiosk.state().offlineSince, null);
  await page.passes(6_000);
  assert.equal(page.looks.house, 5);
  page.network = true;
  await page.passes(2_000);
  assert.equal(page.kiosk.state().offlineSince, null);
  await page.passes(14_000);
  assert.equal(page.looks.house, 6);
});

test('a session is listened to, looked at every ten seconds beside that, and its stream opened again after it ended', async () => {
  const page = new Page();
  page.kiosk.send({ type: 'start_tapped' });
  await settle();
  assert.deepEqual(Stream.opened.map((stream) => stream.url), ['/session/tok/events']);
  Stream.opened[0]?.onmessage?.({ data: JSON.stringify({ ...page.session, status: 'linked' }) });
  assert.equal(page.kiosk.state().screen.name, 'consent');
  const before = page.looks.session;
  await page.passes(10_000);
  assert.equal(page.looks.session, before + 1);
  Stream.opened[0]?.onerror?.();
  await page.passes(1_250);
  assert.equal(Stream.opened.length, 1);
  await page.passes(250);
  assert.equal(Stream.opened.length, 2);
  assert.ok(Stream.opened[0]?.closed);
  // What is no session says nothing.
  Stream.opened[1]?.onmessage?.({ data: '{"status":"flying"}' });
  Stream.opened[1]?.onmessage?.({ data: 'no JSON' });
  assert.equal(page.kiosk.state().screen.name, 'consent');
  page.kiosk.send({ type: 'cancel_tapped' });
  assert.ok(Stream.opened[1]?.closed, 'nobody listens to a session that is over');
  const over = page.looks.session;
  await page.passes(30_000);
  assert.equal(page.looks.session, over);
});

test('time passes in the page: a QR that nobody scans is closed after ninety seconds', async () => {
  const page = new Page();
  page.session = { ...page.session, status: 'idle' };
  page.kiosk.send({ type: 'start_tapped' });
  await page.passes(89_750);
  assert.equal(page.kiosk.state().screen.name, 'qr');
  await page.passes(250);
  assert.equal(page.kiosk.state().screen.name, 'attract');
});
