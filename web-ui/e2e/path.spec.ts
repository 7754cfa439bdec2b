/** The main job in the browser: one person plays tablet and guest, and nine stickers lie in the chat. */
import { expect, test, type Page } from '@playwright/test';
import { killDemos, startDemo, startProcesses, type Demo } from './demo.ts';
import { createGuest, tapStart } from './guest.ts';

test.afterEach(killDemos);

const kioskOf = (demo: Demo): string => new URL('/kiosk', demo.start).href;

async function takeTheSelfie(kiosk: Page): Promise<void> {
  await kiosk.locator('[data-screen="camera"]').waitFor();
  await expect(kiosk.locator('[data-look="ok"]')).toBeVisible();
  await kiosk.locator('[data-action="shoot"]').click();
  await kiosk.locator('[data-screen="check"]').waitFor();
  await kiosk.locator('[data-action="send"]').click();
}

async function wholePath(page: Page, demo: Demo, outfit: string, language: 'ru' | 'uz' | 'en', consent: string): Promise<void> {
  const kiosk = page;
  await kiosk.setViewportSize({ width: 1280, height: 800 });
  await kiosk.goto(kioskOf(demo));
  const link = await tapStart(kiosk);
  const phone = await page.context().newPage();
  await createGuest(phone, link, 'Мадина', language);
  await kiosk.locator('[data-screen="consent"]').waitFor();
  await phone.locator('.key', { hasText: consent }).click();
  await kiosk.locator('[data-screen="outfits"]').waitFor();
  await kiosk.locator(`[data-outfit="${outfit}"]`).click();
  await takeTheSelfie(kiosk);
  await kiosk.locator('[data-screen="queue"], [data-screen="done"]').first().waitFor();
  const open = phone.locator('.key', { hasText: /Открыть набор|Open the pack/ }).last();
  await expect(open).toBeVisible({ timeout: 120_000 });
  await open.click();
  await expect(phone.locator('[data-sticker]')).toHaveCount(9);
  const sizes = await phone.locator('[data-sticker] img').evaluateAll((pictures) =>
    Promise.all(
      pictures.map(async (picture) => {
        const image = picture as HTMLImageElement;
        await image.decode();
        return Math.max(image.naturalWidth, image.naturalHeight);
      }),
    ),
  );
  expect(sizes).toEqual(Array.from({ length: 9 }, () => 512));
  await kiosk.locator('[data-screen="attract"], [data-screen="done"]').first().waitFor();
}

test('a guest plays the whole path and nine stickers lie in the chat', async ({ page }) => {
  const demo = await startDemo();
  await wholePath(page, demo, 'chapan', 'ru', '✅ Согласен');
  expect(await demo.stop()).toBe(0);
});

test('the same path with API and bot as two processes on PostgreSQL, in English', async ({ page }) => {
  const base = process.env.STICKERS_TEST_POSTGRES_URL;
  if (base === undefined) throw new Error('no PostgreSQL: run `make test` or `make test-browser`');
  const demo = await startProcesses(base);
  await wholePath(page, demo, 'hoodie', 'en', '✅ I agree');
  expect(await demo.stop()).toBe(0);
});

test('a cancelled session is closed, and the phone is told', async ({ page }) => {
  const demo = await startDemo();
  await page.goto(kioskOf(demo));
  const link = await tapStart(page);
  await page.locator('[data-action="cancel"]').click();
  await page.locator('[data-screen="attract"]').waitFor();
  const phone = await page.context().newPage();
  await createGuest(phone, link, 'Aziz', 'ru');
  await expect(phone.getByText('Сессия закрыта, нажми «СТАРТ» на планшете.')).toBeVisible();
  await demo.stop();
});

test('a reload at the camera comes back to the camera', async ({ page }) => {
  const demo = await startDemo();
  await page.goto(kioskOf(demo));
  const link = await tapStart(page);
  const phone = await page.context().newPage();
  await createGuest(phone, link, 'Lola', 'uz');
  await phone.locator('.key').first().click();
  await page.locator('[data-screen="outfits"]').waitFor();
  await page.locator('[data-outfit="astronaut"]').click();
  await page.locator('[data-screen="camera"]').waitFor();
  await page.reload();
  await page.locator('[data-screen="camera"]').waitFor();
  await demo.stop();
});

test('the start page shows five doors, in three languages', async ({ page }) => {
  const demo = await startDemo();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(demo.start);
  for (const [button, heading] of [['Рус', 'Пять дверей'], ['Eng', 'Five doors']] as const) {
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(heading);
  }
  expect(errors).toEqual([]);
  await demo.stop();
});
