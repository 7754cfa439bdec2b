/**
 * The tablet in trouble: in every screen the network is lost and comes back, the page is reloaded, and the browser is closed and opened again
 * (an unplugged tablet). One guest goes the whole way through all of it and gets one pack.
 *
 * | screen | network lost, then back | reload | closed and opened |
 * | --- | --- | --- | --- |
 * | attract | attract | attract | attract |
 * | qr, consent, outfits, camera | the same, nothing lost | the same | the same |
 * | check | the same, with the photo | camera: the photo lived in memory only | camera |
 * | sending, the answer lost on its way | queue, without a touch; one job | - | - |
 * | queue | queue | queue | queue |
 * | done | done | attract: nothing of the last guest is shown to the next | attract |
 */
import { expect, test, type BrowserContext, type Page } from '@playwright/test';
import { killDemos, startDemo } from './demo.ts';
import { createGuest, tapStart } from './guest.ts';

test.afterEach(killDemos);

/** A tablet whose browser can be closed and opened again. */
class Tablet {
  constructor(
    private readonly context: BrowserContext,
    private readonly address: string,
    public page: Page,
  ) {}

  static async open(context: BrowserContext, address: string): Promise<Tablet> {
    const tablet = new Tablet(context, address, await context.newPage());
    await tablet.page.goto(address);
    return tablet;
  }

  async shows(screen: string): Promise<void> {
    await this.page.locator(`[data-screen="${screen}"]`).waitFor();
  }

  /** The network goes, the tablet says so and keeps its screen, and the network comes back. */
  async losesTheNetwork(screen: string): Promise<void> {
    await this.context.setOffline(true);
    await this.page.locator('[data-chip="offline"]').waitFor();
    await this.shows(screen);
    await this.context.setOffline(false);
    await this.page.locator('[data-chip="offline"]').waitFor({ state: 'detached' });
    await this.shows(screen);
  }

  async reloads(): Promise<void> {
    await this.page.reload();
  }

  async isUnplugged(): Promise<void> {
    await this.page.close();
    this.page = await this.context.newPage();
    await this.page.goto(this.address);
  }

  /** All three troubles in a screen that outlives them. */
  async survives(screen: string): Promise<void> {
    await this.shows(screen);
    await this.losesTheNetwork(screen);
    await this.reloads();
    await this.shows(screen);
    await this.isUnplugged();
    await this.shows(screen);
  }

  async shoots(): Promise<void> {
    await expect(this.page.locator('[data-look="ok"]')).toBeVisible();
    await this.page.locator('[data-action="shoot"]').click();
    await this.shows('check');
  }
}

test('a tablet without network, reloaded and unplugged in every screen brings its guest to one pack', async ({ browser }) => {
  test.setTimeout(300_000);
  const demo = await startDemo();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const tablet = await Tablet.open(context, new URL('/kiosk', demo.start).href);
  await tablet.survives('attract');

  const link = await tapStart(tablet.page);
  await tablet.survives('qr');

  const phone = await (await browser.newContext()).newPage();
  await createGuest(phone, link, 'Тимур', 'ru');
  await tablet.survives('consent');

  await phone.locator('.key', { hasText: '✅ Согласен' }).click();
  await tablet.survives('outfits');

  await tablet.page.locator('[data-outfit="football"]').click();
  await tablet.survives('camera');

  await tablet.shoots();
  await tablet.losesTheNetwork('check');
  await tablet.reloads();
  await tablet.shows('camera');
  await tablet.shoots();
  await tablet.isUnplugged();
  await tablet.shows('camera');

  // The photo arrives, its answer does not: the network is gone between the shutter and the answer. Without the event stream, which would
  // tell what the answer does not, the tablet has to find out by itself.
  await context.route('**/events', (route) => route.abort());
  await tablet.reloads();
  await tablet.shows('camera');
  await tablet.shoots();
  let accepted = 0;
  await tablet.page.route('**/photo', async (route) => {
    accepted = (await route.fetch()).status();
    await context.setOffline(true);
    await route.abort('connectionreset');
  }, { times: 1 });
  await tablet.page.locator('[data-action="send"]').click();
  await expect.poll(() => accepted).toBe(202);
  await tablet.page.locator('[data-screen="offline"], [data-chip="offline"]').first().waitFor();
  await context.setOffline(false);
  await tablet.page.locator('[data-screen="queue"], [data-screen="done"]').first().waitFor();

  await expect(phone.locator('.key', { hasText: 'Открыть набор' })).toHaveCount(1, { timeout: 120_000 });
  await expect(phone.getByText('Фото у нас')).toHaveCount(1);

  // A new page shows nothing of a guest who is done.
  await tablet.reloads();
  await tablet.shows('attract');
  await tablet.isUnplugged();
  await tablet.shows('attract');
  expect(await demo.stop()).toBe(0);
});

test('the queue outlives a lost network, a reload and an unplugged tablet', async ({ browser }) => {
  const demo = await startDemo();
  const context = await browser.newContext({ viewport: { width: 800, height: 1280 } });
  const tablet = await Tablet.open(context, new URL('/kiosk', demo.start).href);
  const link = await tapStart(tablet.page);
  const phone = await (await browser.newContext()).newPage();
  await createGuest(phone, link, 'Лола', 'ru');
  await phone.locator('.key', { hasText: '✅ Согласен' }).click();
  await tablet.shows('outfits');
  await tablet.page.locator('[data-outfit="chef"]').click();
  await tablet.shows('camera');
  // The house says "second in the queue" for as long as the test looks at it.
  const place = { status: 'queued', position: 2, eta_seconds: 120 };
  await context.route(/\/session\/[^/]+$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const answer = await route.fetch();
    const body = (await answer.json()) as Record<string, unknown>;
    return route.fulfill({ response: answer, json: body.job === null ? body : { ...body, job: place } });
  });
  await context.route('**/events', (route) => route.abort());
  await tablet.shoots();
  await tablet.page.locator('[data-action="send"]').click();
  await tablet.shows('queue');
  await tablet.losesTheNetwork('queue');
  await tablet.reloads();
  await tablet.shows('queue');
  await tablet.isUnplugged();
  await tablet.shows('queue');
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await demo.stop();
});
