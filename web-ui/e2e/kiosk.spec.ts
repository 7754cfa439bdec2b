/**
 * Every screen of the tablet, its timers and its ways out, in the browser. The page's clock is moved by hand, so that nobody waits.
 *
 * | screen | how it is reached here | how it is left |
 * | --- | --- | --- |
 * | attract | switched on | START |
 * | qr, with ring and time | START | 90 s without a phone |
 * | consent | the phone opens the link | five taps of staff |
 * | outfits, idle question | consent on the phone | "yes, go on"; 45 s and 15 s without a touch |
 * | camera, check | an outfit, the shutter | "retake", once |
 * | sending, offline | the network goes with the photo | the network comes back |
 * | queue, failed, done | the server's word on the job | the button; 8 s |
 * | pack ready | the same guest again | the button |
 * | camera problem | a camera that the browser refuses | 10 s |
 * | break | the house pauses, before START and at the outfit | the house goes on |
 * | set-up | five taps of staff where nobody is | "to the guests" |
 */
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { killDemos, startDemo, type Demo } from './demo.ts';
import { createGuest, startAgain, tapStart } from './guest.ts';

test.afterEach(killDemos);

const second = 1_000;

/** A tablet whose clock the test moves, and the phone of one guest. */
class Stand {
  private constructor(
    readonly demo: Demo,
    readonly context: BrowserContext,
    readonly kiosk: Page,
    readonly phone: Page,
  ) {}

  static async open(context: BrowserContext, phones: BrowserContext, demo: Demo): Promise<Stand> {
    const kiosk = await context.newPage();
    await kiosk.clock.install();
    await kiosk.goto(new URL('/kiosk', demo.start).href);
    return new Stand(demo, context, kiosk, await phones.newPage());
  }

  async shows(screen: string): Promise<void> {
    await this.kiosk.locator(`[data-screen="${screen}"]`).waitFor();
  }

  async passes(ms: number): Promise<void> {
    await this.kiosk.clock.fastForward(ms);
  }

  async taps(action: string): Promise<void> {
    await this.kiosk.locator(`[data-action="${action}"]`).click();
  }

  async staff(): Promise<void> {
    for (let tap = 0; tap < 5; tap += 1) await this.kiosk.locator('[data-staff]').click();
  }

  /** Why the server closed the session behind a link. */
  async closedReason(link: string): Promise<unknown> {
    const token = new URL(link).searchParams.get('start') ?? '';
    const answer = await this.kiosk.request.get(new URL(`/session/${token}`, this.demo.start).href);
    return ((await answer.json()) as Record<string, unknown>)['closed_reason'];
  }

  /** Nothing on the page but the switch of languages is in Russian letters. */
  async hasNoRussianLetter(): Promise<void> {
    const words = await this.kiosk.evaluate(() => {
      const page = document.body.cloneNode(true) as HTMLElement;
      for (const part of page.querySelectorAll('[data-action="language-ru"], .brand')) part.remove();
      const labels = [...page.querySelectorAll('[aria-label], [alt]')].map((part) => `${part.getAttribute('aria-label') ?? ''} ${part.getAttribute('alt') ?? ''}`);
      return [page.textContent ?? '', document.title, ...labels].join(' ');
    });
    expect(words).not.toMatch(/\p{Script=Cyrillic}/u);
  }
}

test('screens, timers, staff and languages before the photo', async ({ browser }) => {
  const demo = await startDemo();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const stand = await Stand.open(context, await browser.newContext(), demo);
  const { kiosk, phone } = stand;

  // The corner switch speaks at once; where nobody is the house's language comes back.
  await stand.shows('attract');
  await stand.taps('language-en');
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('Get stickers of yourself');
  await expect(kiosk.locator('html')).toHaveAttribute('lang', 'en');
  await stand.hasNoRussianLetter();
  await stand.passes(31 * second);
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('Сделай стикеры с собой');

  // QR: ring and words count down, hurry at the end, and the start says why it is back.
  await stand.taps('language-en');
  const unscanned = await tapStart(kiosk);
  await expect(kiosk.getByRole('timer')).toHaveText(/^Code waits 1:(30|2\d) more$/);
  await stand.hasNoRussianLetter();
  await stand.passes(76 * second);
  await expect(kiosk.locator('.ring.hurry')).toBeVisible();
  await stand.passes(15 * second);
  await stand.shows('attract');
  await expect(kiosk.locator('[data-message="qr.late"]')).toBeVisible();
  await expect.poll(() => stand.closedReason(unscanned)).toBe('qr_timeout');

  // The guest's Telegram language takes over once linked; staff reset a guest with five taps.
  const reset = await tapStart(kiosk);
  await createGuest(phone, reset, 'Мадина', 'uz');
  await stand.shows('consent');
  await expect(kiosk.locator('html')).toHaveAttribute('lang', 'uz');
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('Endi telefonga qarang');
  await stand.staff();
  await stand.shows('attract');
  await expect.poll(() => stand.closedReason(reset)).toBe('staff_reset');

  // The idle question on the outfits: an answer goes on, none ends the session.
  await stand.taps('language-en');
  const idle = await tapStart(kiosk);
  await startAgain(phone, idle);
  await stand.shows('consent');
  await stand.taps('language-en');
  await phone.locator('.key').last().click();
  await stand.shows('outfits');
  await stand.hasNoRussianLetter();
  await stand.passes(46 * second);
  await expect(kiosk.locator('[data-dialog="idle"]')).toBeVisible();
  await stand.hasNoRussianLetter();
  await stand.taps('stay');
  await expect(kiosk.locator('[data-dialog="idle"]')).toHaveCount(0);
  await stand.passes(46 * second);
  await expect(kiosk.locator('[data-dialog="idle"]')).toBeVisible();
  await stand.passes(15 * second);
  await stand.shows('attract');
  await expect.poll(() => stand.closedReason(idle)).toBe('idle_timeout');

  // Where nobody is, the five taps open the set-up page; it leads back to the guests.
  await stand.staff();
  await stand.shows('setup');
  await kiosk.locator('[data-action="to-guests"][aria-disabled="false"]').click();
  await stand.shows('attract');

  // A break: no button, and the page looks by itself whether it is over.
  const paused = (on: boolean) => ({ ok: true, db: 'ok', active_jobs: 0, maintenance: on ? 'admin' : null });
  await context.route('**/health', (route) => route.fulfill({ json: paused(true) }));
  await stand.passes(16 * second);
  await stand.shows('break');
  await expect(kiosk.locator('.scene button')).toHaveCount(0);
  await context.unroute('**/health');
  await stand.passes(16 * second);
  await stand.shows('attract');
  expect(await demo.stop()).toBe(0);
});

test('camera, sending, queue and endings, and the same guest again', async ({ browser }) => {
  test.setTimeout(300_000);
  const demo = await startDemo();
  const context = await browser.newContext({ viewport: { width: 800, height: 1280 } });
  const stand = await Stand.open(context, await browser.newContext(), demo);
  const { kiosk, phone } = stand;
  const agree = async (): Promise<void> => {
    await stand.shows('consent');
    await phone.locator('.key').last().click();
    await stand.shows('outfits');
  };
  const shoot = async (): Promise<void> => {
    await expect(kiosk.locator('[data-look="ok"]')).toBeVisible();
    await stand.taps('shoot');
    await stand.shows('check');
  };

  // A camera that the browser refuses: the session ends with its reason and staff are called. In the demo the link leads to this
  // computer and a photo may come from a file, so the tablet is given a link of Telegram.
  let link = '';
  await kiosk.route('**/session', async (route) => {
    const answer = await route.fetch();
    const opened = (await answer.json()) as Record<string, string>;
    link = opened['deep_link'] ?? '';
    await route.fulfill({ response: answer, json: { ...opened, deep_link: 'https://t.me/stickers_bot?start=x' } });
  }, { times: 1 });
  await kiosk.evaluate(() => {
    const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    let refusals = 1;
    navigator.mediaDevices.getUserMedia = (wanted) =>
      refusals-- > 0 ? Promise.reject(new DOMException('no', 'NotAllowedError')) : real(wanted);
  });
  await tapStart(kiosk);
  await createGuest(phone, link, 'Lola', 'en');
  await agree();
  await kiosk.locator('[data-outfit="hero"]').click();
  await stand.shows('problem');
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('The camera is not allowed. Please call staff');
  await stand.passes(11 * second);
  await stand.shows('attract');
  await expect.poll(() => stand.closedReason(link)).toBe('camera_error');

  // A break at the outfit keeps the guest; then camera, check, one retake. Without event streams, which could not be made to tell the
  // story below: the tablet finds out by looking.
  await context.route('**/events', (route) => route.abort());
  await startAgain(phone, await tapStart(kiosk));
  await agree();
  const refuse = { error: 'maintenance', message: 'A short break. Back soon' };
  await kiosk.route('**/template', (route) => route.fulfill({ status: 503, json: refuse }), { times: 1 });
  await kiosk.locator('[data-outfit="hero"]').click();
  await stand.shows('break');
  await stand.passes(16 * second);
  await stand.shows('outfits');
  await kiosk.locator('[data-outfit="hero"]').click();
  await stand.shows('camera');
  await stand.hasNoRussianLetter();
  await shoot();
  await stand.taps('retake');
  await stand.shows('camera');
  await shoot();
  await expect(kiosk.locator('[data-action="retake"]')).toHaveCount(0);
  await stand.hasNoRussianLetter();

  // The network goes with the photo: it is safe, and goes on by itself. The queue tells place and wait.
  const place = { status: 'queued', position: 3, eta_seconds: 215 };
  let job: Record<string, unknown> | null = place;
  let offline = false;
  await context.route(/\/session\/[^/]+$/, async (route) => {
    if (offline) return route.abort('internetdisconnected');
    const answer = await route.fetch();
    const body = (await answer.json()) as Record<string, unknown>;
    return route.fulfill({ response: answer, json: body['job'] === null || job === null ? body : { ...body, job } });
  });
  await kiosk.route('**/photo', async (route) => {
    if (offline) return route.abort('internetdisconnected');
    const answer = await route.fetch();
    const queued = (await answer.json()) as Record<string, unknown>;
    return route.fulfill({ response: answer, json: { ...queued, ...place } });
  });
  offline = true;
  await context.setOffline(true);
  await stand.taps('send');
  await stand.shows('sending');
  await stand.passes(4 * second);
  await stand.shows('offline');
  await expect(kiosk.getByText('Your place and photo are safe. We go on by ourselves')).toBeVisible();
  await stand.hasNoRussianLetter();
  offline = false;
  await context.setOffline(false);
  await stand.passes(3 * second);
  await stand.shows('queue');
  // From here on no deadline of the tablet is reached, however slow the machine is; it goes on to look and to listen.
  await kiosk.clock.setFixedTime(await kiosk.evaluate(() => Date.now()));
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('Your place in line: 3');
  await expect(kiosk.getByText('About 4 minutes')).toBeVisible();
  await stand.hasNoRussianLetter();

  // A job that failed is told as it is; then the truth: the pack comes, and its guest is done.
  job = { status: 'failed', position: null, eta_seconds: null };
  await stand.shows('failed');
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('We could not draw it');
  await stand.taps('ok');
  await stand.shows('attract');
  await expect(phone.getByText('Your place in line: 1', { exact: false })).toHaveCount(1);
  await expect(phone.locator('.key', { hasText: 'Open the pack' })).toHaveCount(1, { timeout: 120_000 });

  // The same guest again has a pack already, and the bot sends its link once more.
  job = null;
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await startAgain(phone, await tapStart(kiosk));
  await stand.shows('ready');
  // Stopped before it was linked, the session speaks the tablet's language until somebody taps another one.
  await stand.taps('language-en');
  await expect(kiosk.getByRole('heading', { level: 1 })).toHaveText('You already have your pack');
  await expect(phone.getByText('You already have your pack. Here is the link again.')).toBeVisible();
  await stand.taps('ok');
  await stand.shows('attract');
  expect(await demo.stop()).toBe(0);
});
