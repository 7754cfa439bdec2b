/**
 * Pictures of every screen, to lay beside the design: `npx tsx kiosk/mock/pictures.ts OUT [FILTER]` after a build. The
 * camera is fed from `CAMERA_FILE` (`.mjpeg` or `.y4m`); `STICKERS_DIR` as for the mock server.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from '@playwright/test';
import { serve } from './server.ts';
import type { House, MockSession } from './house.ts';

type Visit = (page: Page, house: House) => Promise<void>;

interface Setting {
  name: string;
  width: number;
  height: number;
  language: string;
  venue: 'bright' | 'dark';
  still: boolean;
}

const settings: Setting[] = [
  { name: 'portrait-ru', width: 1080, height: 1920, language: 'ru', venue: 'bright', still: false },
  { name: 'landscape-uz', width: 1280, height: 800, language: 'uz', venue: 'bright', still: false },
  { name: 'portrait-dark-en', width: 1080, height: 1920, language: 'en', venue: 'dark', still: true },
  { name: 'landscape-dark-uz', width: 1280, height: 800, language: 'uz', venue: 'dark', still: true },
  { name: 'landscape-en', width: 1280, height: 800, language: 'en', venue: 'bright', still: false },
  { name: 'small-ru', width: 800, height: 1280, language: 'ru', venue: 'bright', still: false },
  { name: 'laptop-uz', width: 1366, height: 720, language: 'uz', venue: 'bright', still: false },
];

const on = (page: Page, screen: string) => page.waitForSelector(`[data-screen="${screen}"]`);
const tap = (page: Page, action: string) => page.click(`[data-action="${action}"]`);

function move(house: House, change: Partial<MockSession>): void {
  const session = house.last();
  if (session !== undefined) house.move(session, change);
}

const qr: Visit = async (page) => {
  await on(page, 'attract');
  await tap(page, 'start');
  await on(page, 'qr');
};

const consent: Visit = async (page, house) => {
  await qr(page, house);
  move(house, { status: 'linked', first_name: 'Лола' });
  await on(page, 'consent');
};

const outfitsShown: Visit = async (page, house) => {
  await consent(page, house);
  move(house, { status: 'consented' });
  await on(page, 'outfits');
};

const camera: Visit = async (page, house) => {
  await outfitsShown(page, house);
  await page.click('[data-outfit="astronaut"]');
  await on(page, 'camera');
  const look = house.mood.face === null ? 'unknown' : house.mood.face.ok ? 'ok' : 'wait';
  await page.waitForSelector(`[data-look="${look}"]`);
  await page.waitForTimeout(900);
};

const check: Visit = async (page, house) => {
  await camera(page, house);
  await tap(page, 'shoot');
  await on(page, 'check');
};

const queue: Visit = async (page, house) => {
  await check(page, house);
  await tap(page, 'send');
  await on(page, 'queue');
};

const visits: Record<string, Visit> = {
  attract: async (page) => void (await on(page, 'attract')),
  qr,
  consent,
  outfits: outfitsShown,
  'outfits-chosen': async (page, house) => {
    await camera(page, house);
    await tap(page, 'other-outfit');
    await on(page, 'outfits');
  },
  'outfits-7': async (page, house) => {
    house.mood.outfits = 7;
    await page.reload();
    await outfitsShown(page, house);
  },
  'outfits-10': async (page, house) => {
    house.mood.outfits = 10;
    await page.reload();
    await outfitsShown(page, house);
  },
  'camera-wait': async (page, house) => {
    house.mood.face = { ok: false, hint: 'off_centre' };
    await camera(page, house);
  },
  'camera-unknown': async (page, house) => {
    house.mood.face = null;
    await camera(page, house);
  },
  'camera-ok': camera,
  'camera-count': async (page, house) => {
    await camera(page, house);
    await tap(page, 'shoot');
    await page.waitForTimeout(1_300);
  },
  check,
  'check-last': async (page, house) => {
    await check(page, house);
    await tap(page, 'retake');
    await on(page, 'camera');
    await page.waitForSelector('[data-look="ok"]');
    await tap(page, 'shoot');
    await on(page, 'check');
  },
  refused: async (page, house) => {
    house.mood.refusePhoto = { status: 422, error: 'several_faces' };
    await check(page, house);
    await tap(page, 'send');
    await on(page, 'camera');
    await page.waitForTimeout(900);
  },
  sending: async (page, house) => {
    house.mood.uploadMs = 20_000;
    await check(page, house);
    await tap(page, 'send');
    await on(page, 'sending');
  },
  'sending-slow': async (page, house) => {
    house.mood.uploadMs = 20_000;
    await check(page, house);
    await tap(page, 'send');
    await page.waitForTimeout(4_000);
  },
  queue,
  'queue-drawing': async (page, house) => {
    await queue(page, house);
    move(house, { job: { status: 'delivering', position: null, eta_seconds: 20 } });
    await page.waitForTimeout(300);
  },
  done: async (page, house) => {
    await queue(page, house);
    move(house, { job: { status: 'done', position: null, eta_seconds: null } });
    await on(page, 'done');
    await page.waitForTimeout(1_200);
  },
  ready: async (page, house) => {
    await qr(page, house);
    move(house, { status: 'expired', notice: 'pack_ready' });
    await on(page, 'ready');
  },
  progress: async (page, house) => {
    await qr(page, house);
    move(house, { status: 'expired', notice: 'pack_in_progress' });
    await on(page, 'progress');
  },
  failed: async (page, house) => {
    await queue(page, house);
    move(house, { job: { status: 'failed', position: null, eta_seconds: null } });
    await on(page, 'failed');
  },
  break: async (page, house) => {
    await on(page, 'attract');
    house.mood.maintenance = 'admin';
    // The page may notice by itself before the tap.
    await Promise.race([tap(page, 'start').catch(() => undefined), on(page, 'break')]);
    await on(page, 'break');
  },
  late: async (page, house) => {
    await qr(page, house);
    move(house, { status: 'expired', closed_reason: 'qr_timeout' });
    await on(page, 'attract');
  },
  'offline-chip': async (page, house) => {
    await qr(page, house);
    await page.context().setOffline(true);
    await page.waitForSelector('[data-chip="offline"]');
  },
  offline: async (page, house) => {
    await outfitsShown(page, house);
    await page.context().setOffline(true);
    await page.click('[data-outfit="astronaut"]');
    await on(page, 'offline');
    await page.waitForSelector('[data-action="restart"]', { timeout: 20_000 });
  },
  'idle-question': async (page, house) => {
    await outfitsShown(page, house);
    await page.waitForSelector('[data-dialog="idle"]', { timeout: 60_000 });
  },
  'demo-qr': async (page, house) => {
    house.mood.link = 'http://127.0.0.1:8081';
    await qr(page, house);
  },
  'demo-camera': async (page, house) => {
    house.mood.link = 'http://127.0.0.1:8081';
    await camera(page, house);
  },
  setup: async (page) => {
    await on(page, 'attract');
    await page.evaluate(() => (location.hash = 'setup'));
    await on(page, 'setup');
    await page.waitForSelector('[data-row="camera"][data-state="good"]');
  },
  problem: async (page, house) => {
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await outfitsShown(page, house);
    await page.click('[data-outfit="astronaut"]');
    await on(page, 'problem');
  },
};

async function picture(browser: Browser, setting: Setting, visit: string, out: string): Promise<void> {
  const act = visits[visit];
  if (act === undefined) return;
  const { server, house, port } = await serve(0, process.env['STICKERS_DIR'] ?? null);
  const context = await browser.newContext({
    viewport: { width: setting.width, height: setting.height },
    hasTouch: true,
    reducedMotion: setting.still ? 'reduce' : 'no-preference',
  });
  await context.addInitScript(([language, venue]) => {
    localStorage.setItem('kiosk.language', language ?? '');
    localStorage.setItem('kiosk.venue', venue ?? '');
    localStorage.setItem('kiosk.name', 'Вход-1');
  }, [setting.language, setting.venue]);
  // The compiler names inner functions through a helper that the page does not have.
  await context.addInitScript({ content: 'globalThis.__name = (value) => value;' });
  const page = await context.newPage();
  page.on('console', (line) => {
    if (line.type() === 'error' && !/Failed to load resource|ERR_INTERNET/.test(line.text())) console.log(visit, line.text());
  });
  page.on('pageerror', (error) => console.log(visit, error.message));
  try {
    await page.goto(`http://127.0.0.1:${port}/kiosk`);
    await page.waitForSelector('.parade img.sticker');
    await act(page, house);
    await page.evaluate(settled);
    await page.waitForTimeout(200);
    const wrong = await page.evaluate(overflow);
    if (wrong.length > 0) console.log(setting.name, visit, wrong.join('; '));
    await page.screenshot({ path: join(out, `${setting.name}--${visit}.png`) });
  } catch (error) {
    console.log(setting.name, visit, error instanceof Error ? error.message.split('\n')[0] : error);
    await page.screenshot({ path: join(out, `${setting.name}--${visit}-BROKEN.png`) });
  } finally {
    await context.close();
    server.closeAllConnections();
    server.close();
  }
}

/** Waits for every movement that ends. */
async function settled(): Promise<void> {
  const moving = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
  await Promise.all(moving.map((one) => one.finished.catch(() => null)));
}

/** What leaves the screen, overlaps another target, or is too small to hit; run inside the page. */
function overflow(): string[] {
  const wrong: string[] = [];
  const box = (element: Element) => element.getBoundingClientRect();
  for (const element of document.querySelectorAll('h1, h2, p, .button, .switch, .card, .shutter')) {
    const { left, right, top, bottom, width } = box(element);
    const name = `${element.tagName}.${element.getAttribute('class') ?? ''} "${element.textContent?.slice(0, 30)}"`;
    if (width > 0 && (left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1)) wrong.push(`outside: ${name}`);
    if (element.scrollWidth > element.clientWidth + 2 && !element.classList.contains('count')) wrong.push(`too wide: ${name}`);
  }
  const targets = [...document.querySelectorAll('button:not(.cover)')].filter((button) => box(button).width > 0);
  for (const target of targets) {
    const { width, height } = box(target);
    if (width < 87 || height < 87) wrong.push(`small: ${target.getAttribute('data-action')} ${Math.round(width)}x${Math.round(height)}`);
  }
  const solid = [...document.querySelectorAll('h1, .lead, .pill, .button, .switch, .card, .shutter, .disc, .ring, .phone, .foot, .steps, .brand > span')].filter(
    (element) => getComputedStyle(element).visibility === 'visible',
  );
  for (const [index, one] of solid.entries()) {
    for (const other of solid.slice(index + 1)) {
      if (one.contains(other) || other.contains(one) || one.closest('.veil, .message') || other.closest('.veil, .message')) continue;
      const [a, b] = [box(one), box(other)];
      const cross = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 3 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
      if (cross && a.width > 0 && b.width > 0) wrong.push(`over each other: ${one.className || one.tagName} / ${other.className || other.tagName}`);
    }
  }
  return wrong;
}

const [out = 'pictures', filter = ''] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const cameraFile = process.env['CAMERA_FILE'];
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    ...(cameraFile === undefined ? [] : [`--use-file-for-fake-video-capture=${cameraFile}`]),
  ],
});
const wanted = settings.flatMap((setting) =>
  Object.keys(visits)
    .filter((visit) => new RegExp(filter).test(`${setting.name}--${visit}`))
    .map((visit) => ({ setting, visit })),
);
/** A few at once: most of a visit is waiting. */
const lanes = 2;
await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) await picture(browser, next.setting, next.visit, out);
  }),
);
await browser.close();
