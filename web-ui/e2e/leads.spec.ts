/** Leads in the browser: the landing form, the team's group in another tab, buttons on the card, the file for the admin. */
import { readFileSync } from 'node:fs';
import { expect, test, type Locator, type Page } from '@playwright/test';
import { killDemos, startDemo } from './demo.ts';

test.afterEach(killDemos);

/** Fills in the form of the landing site and sends it, as a visitor who needs more than three seconds. */
async function ask(page: Page, name: string): Promise<void> {
  await page.locator('#name').fill(name);
  await page.locator('#telegram').fill('aziz_toy');
  await page.locator('#phone').fill('+998 90 123-45-67');
  await page.locator('#comment').fill('Свадьба <b>& в цветах зала');
  await page.locator('[name="startedAt"]').evaluate((field) => {
    (field as HTMLInputElement).value = String(Date.now() - 60_000);
  });
  await page.locator('form button[type="submit"]').click();
  await expect(page.getByRole('heading', { name: 'Заявка у нас' })).toBeVisible();
}

/** The tab becomes another member's. */
async function become(group: Page, name: string): Promise<void> {
  await group.locator('[data-action="who"]').click();
  await group.locator('[data-member]', { hasText: name }).click();
  await expect(group.locator('[data-action="who"]')).toHaveAttribute('aria-label', new RegExp(name));
}

const key = (card: Locator, label: string): Locator => card.locator('.key', { hasText: label });

test('a request from the landing site becomes a card; the team presses its buttons and gets the file', async ({ page }) => {
  const demo = await startDemo();
  await page.goto(demo.start);
  const doors = async (door: string): Promise<Page> => {
    const opened = page.waitForEvent('popup');
    await page.locator(`a[data-door="${door}"]`).click();
    return opened;
  };
  const site = await doors('landing');
  await site.goto(`${new URL(site.url()).origin}/ru`);
  await ask(site, 'Азиз Тойханов');

  const group = await doors('group');
  await group.locator('[data-screen="phone"]').waitFor();
  const card = group.locator('article', { hasText: 'Азиз Тойханов' });
  await expect(card).toContainText('🆕 Новая');
  await expect(card).toContainText('Свадьба <b>& в цветах зала');
  await expect(card.locator('.key')).toHaveCount(5);

  await become(group, 'Тимур');
  await key(card, 'В работе').click();
  await expect(group.locator('.toast, .alert')).toContainText('Нет доступа');
  await expect(card).toContainText('🆕 Новая');
  await group.keyboard.press('Escape');

  await become(group, 'Нодира');
  await key(card, 'В работе').click();
  await expect(card).toContainText('— 🛠 В работе');
  await expect(card).toContainText('Статус: Нодира');
  await expect(card.locator('.meta')).toContainText('изменено');
  await key(card, 'В работе').click();
  await expect(group.locator('.toast, .alert')).toContainText('Уже так');

  await group.locator('textarea').fill('/stickers_export');
  await group.keyboard.press('Enter');
  const chats = await group.evaluate(async () => (await (await fetch('/sim/bots')).json()).bots[0].id as number);
  const admin = await group.evaluate(() => Number(new URL(window.location.href).searchParams.get('person')));
  await group.goto(`${new URL(group.url()).origin}/chat?person=${admin}&chat=${chats}`);
  const saved = group.waitForEvent('download');
  await group.locator('a.document').click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^stickers_leads_\d{4}-\d\d-\d\d\.csv$/);
  expect(readFileSync(await file.path(), 'utf8')).toContain('Азиз Тойханов');
  expect(await demo.stop()).toBe(0);
});
