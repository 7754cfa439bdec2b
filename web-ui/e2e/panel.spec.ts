/** The admin panel in the browser: from the start page to every page, live, by keyboard, on a phone, without the server. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test, type Browser, type BrowserContext, type Page } from '@playwright/test';
import { killDemos, startDemo, type Demo } from './demo.ts';
import { createGuest, tapStart } from './guest.ts';

test.afterEach(killDemos);

const WIDE = { width: 1440, height: 1080 };
const PHONE = { width: 390, height: 844 };

const at = (demo: Demo, path: string): string => new URL(path, demo.start).href;

async function signIn(page: Page, demo: Demo): Promise<void> {
  await page.goto(at(demo, '/admin'));
  await page.locator('#login').fill('demo');
  await page.locator('#password').fill('stickers');
  await page.getByRole('button', { name: 'Войти' }).click();
  await expect(page.getByRole('heading', { name: 'Сейчас', exact: true })).toBeVisible();
}

/** Faults of the page: what a browser complains about. */
function listen(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error') problems.push(line.text());
  });
  return problems;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What an accessibility checker calls serious or critical. */
async function seriousFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    interface Finding {
      id: string;
      impact: string | null;
      nodes: { html: string }[];
    }
    const checker = (window as unknown as { axe: { run(): Promise<{ violations: Finding[] }> } }).axe;
    const { violations } = await checker.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
  });
}

/** A guest plays the path on the tablet up to the photo; the pack follows by itself. */
async function play(context: BrowserContext, demo: Demo, name: string): Promise<void> {
  const kiosk = await context.newPage();
  await kiosk.setViewportSize({ width: 1280, height: 800 });
  await kiosk.goto(at(demo, '/kiosk'));
  const link = await tapStart(kiosk);
  const phone = await context.newPage();
  await createGuest(phone, link, name, 'ru');
  await phone.locator('.key', { hasText: '✅ Согласен' }).click();
  await kiosk.locator('[data-screen="outfits"]').waitFor();
  await kiosk.locator('[data-outfit="chapan"]').click();
  await kiosk.locator('[data-screen="camera"]').waitFor();
  await expect(kiosk.locator('[data-look="ok"]')).toBeVisible();
  await kiosk.locator('[data-action="shoot"]').click();
  await kiosk.locator('[data-screen="check"]').waitFor();
  await kiosk.locator('[data-action="send"]').click();
  await kiosk.locator('[data-screen="queue"], [data-screen="done"]').first().waitFor();
  await kiosk.close();
  await phone.close();
}

/** The landing site brings a request. */
async function ask(context: BrowserContext, demo: Demo, name: string): Promise<void> {
  const told = (await (await fetch(at(demo, '/demo.json'))).json()) as { landing_url: string };
  const site = await context.newPage();
  await site.goto(new URL('/ru', told.landing_url).href);
  await site.locator('#name').fill(name);
  await site.locator('#telegram').fill('aziz_toy');
  await site.locator('#phone').fill('+998 90 123-45-67');
  await site.locator('[name="startedAt"]').evaluate((field) => {
    (field as HTMLInputElement).value = String(Date.now() - 60_000);
  });
  await site.locator('form button[type="submit"]').click();
  await expect(site.getByRole('heading', { name: 'Заявка у нас' })).toBeVisible();
  await site.close();
}

test('a guest and a request are followed through every page, and nothing serious is found on any, wide and on a phone', async ({ page, context }) => {
  test.setTimeout(300_000);
  const demo = await startDemo();
  await page.setViewportSize(WIDE);
  await page.goto(demo.start);
  const door = page.locator('a[data-door="admin"]');
  await expect(door).toContainText('demo');
  await expect(door).toContainText('stickers');
  const opened = page.waitForEvent('popup');
  await door.click();
  const panel = await opened;
  await panel.setViewportSize(WIDE);
  const problems = listen(panel);
  expect(await seriousFaults(panel), 'sign-in').toEqual([]);
  await signIn(panel, demo);

  // The page that is open follows what happens elsewhere.
  await expect(panel.getByText('Очередь пуста.')).toBeVisible();
  const hostile = '<img src=x onerror=alert(1)>"\'';
  await play(context, demo, hostile);
  await ask(context, demo, 'Азиз <b>Тойханов</b>');
  await panel.goto(at(demo, '/admin/jobs'));
  await expect(panel.locator('.list .tag.ok')).toHaveText('Готово', { timeout: 120_000 });
  await expect(panel.locator('.list .name')).toHaveText(hostile);

  const pages = [
    '/admin', '/admin/maintenance', '/admin/account', '/admin/jobs', '/admin/jobs?status=failed', '/admin/jobs?q=nobody', '/admin/jobs?q=1',
    '/admin/jobs/1', '/admin/guests', '/admin/leads', '/admin/leads/1', '/admin/leads?q=zzz', '/admin/costs', '/admin/journal', '/admin/settings',
  ];
  await panel.goto(at(demo, '/admin/jobs/1'));
  await expect(panel.locator('.stickers img')).toHaveCount(9);
  const guest = await panel.locator('#to-guest').getAttribute('href');
  const widths = await panel.locator('.stickers img').evaluateAll((all) =>
    Promise.all(all.map((one) => (one as HTMLImageElement).decode().then(() => (one as HTMLImageElement).naturalWidth > 0))),
  );
  expect(widths).toEqual(Array.from({ length: 9 }, () => true));
  for (const viewport of [WIDE, PHONE]) {
    await panel.setViewportSize(viewport);
    for (const path of [...pages, `${guest}`, `${guest}/reset`]) {
      await panel.goto(at(demo, path));
      expect(await seriousFaults(panel), `${path} at ${viewport.width}`).toEqual([]);
      const overflow = await panel.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${path} at ${viewport.width} scrolls sideways`).toBeLessThanOrEqual(0);
      const small = await panel.locator('main .button:visible, main .chip:visible, .rail li a:visible').evaluateAll((targets) =>
        targets.filter((target) => target.getBoundingClientRect().height < 44).map((target) => target.outerHTML),
      );
      expect(small, `${path} at ${viewport.width}: targets under 44 px`).toEqual([]);
    }
  }
  expect(problems).toEqual([]);

  // A lead is taken by keyboard alone, and the card in the group follows.
  await panel.setViewportSize(WIDE);
  await panel.goto(at(demo, '/admin/leads'));
  await panel.locator('#take-1').focus();
  await panel.keyboard.press('Enter');
  await expect(panel.getByText('Статус заявки изменён')).toBeVisible();
  await expect(panel.locator('section[aria-label="🛠 В работе"] .lead')).toContainText('demo');
  await panel.goto(at(demo, '/admin/leads/1'));
  await expect(panel.locator('.steps')).toContainText('demo, в панели');

  // A reset wants its word, and takes the guest.
  await panel.goto(at(demo, `${guest}/reset`));
  await expect(panel.getByRole('link', { name: 'Не надо' })).toBeFocused();
  await panel.getByRole('button', { name: 'Сбросить гостя' }).click();
  await expect(panel.getByText('слово не совпало')).toBeVisible();
  await panel.locator('#confirm').fill('сбросить');
  await panel.getByRole('button', { name: 'Сбросить гостя' }).click();
  await expect(panel.getByText('Гость сброшен')).toBeVisible();
  await expect(panel.getByText('Гостей ещё нет')).toBeVisible();
  expect(await demo.stop()).toBe(0);
});

async function newPage(browser: Browser, options = {}): Promise<Page> {
  return (await browser.newContext({ viewport: WIDE, ...options })).newPage();
}

test('a page follows what another one does, keeps its focus, and says since when its numbers are when the server is away', async ({ browser }) => {
  const demo = await startDemo();
  const [one, other] = [await newPage(browser), await newPage(browser)];
  await signIn(one, demo);
  await signIn(other, demo);
  await one.locator('#slots summary').click();
  await one.locator('#to-costs').focus();
  await other.locator('#pause').click();
  await expect(other.getByRole('link', { name: 'Не надо' })).toBeFocused();
  await other.getByRole('button', { name: 'Поставить паузу' }).click();
  await expect(other.getByText('Пауза включена')).toBeVisible();
  await expect(one.locator('#resume')).toBeVisible();
  await expect(one.getByText('Киоск на паузе')).toBeVisible();
  await expect(one.locator('#slots'), 'what was opened stays open').toHaveAttribute('open', '');
  await expect(one.locator('#to-costs'), 'where the keyboard was, it stays').toBeFocused();
  const before = await one.locator('[data-time]').textContent();
  await expect.poll(() => one.locator('[data-time]').textContent()).not.toBe(before);

  await expect(one.locator('#to-costs')).toBeFocused();

  await one.context().setOffline(true);
  await expect(one.locator('#lost')).toBeVisible({ timeout: 40_000 });
  await expect(one.locator('#lost')).toContainText(/Показано на \d\d:\d\d:\d\d/);
  await one.context().setOffline(false);
  await expect(one.locator('#lost')).toBeHidden({ timeout: 40_000 });

  // Who signs out everywhere is out in the other window too, by itself.
  await other.goto(at(demo, '/admin/account'));
  const third = await newPage(browser);
  await signIn(third, demo);
  await other.getByRole('button', { name: 'Выйти на всех устройствах' }).click();
  await expect(other.getByRole('heading', { name: 'Вход в панель' })).toBeVisible();
  await expect(third.getByRole('heading', { name: 'Вход в панель' })).toBeVisible();
  expect(await demo.stop()).toBe(0);
});

test('five wrong passwords lock the address out, and the cookie is of no use to a script', async ({ page }) => {
  const demo = await startDemo();
  await signIn(page, demo);
  const cookies = (await page.context().cookies()).filter((cookie) => cookie.name === 'panel_session');
  expect(cookies).toMatchObject([{ httpOnly: true, sameSite: 'Strict', secure: false, path: '/' }]);
  expect(await page.evaluate(() => document.cookie)).not.toContain('panel_session');
  // The policy lets no code run that was written into the page.
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "run"';
    document.body.append(script);
  });
  expect(await page.title()).not.toBe('run');
  await page.goto(at(demo, '/admin/account'));
  await page.getByRole('button', { name: 'Выйти', exact: true }).click();
  for (let tries = 0; tries < 6; tries += 1) {
    await page.locator('#login').fill('demo');
    await page.locator('#password').fill(tries === 5 ? 'stickers' : 'wrong');
    await page.getByRole('button', { name: 'Войти' }).click();
    await expect(page.getByRole('alert')).toContainText(tries === 5 ? 'Пять неверных паролей. Попробуй через' : 'не подходят');
  }
  await demo.stop();
});

test('without a script and in the dark every step is a page', async ({ browser }) => {
  const demo = await startDemo();
  const page = await newPage(browser, { javaScriptEnabled: false, colorScheme: 'dark', viewport: PHONE });
  await signIn(page, demo);
  await page.locator('#pause').click();
  await page.getByRole('button', { name: 'Поставить паузу' }).click();
  await expect(page.getByText('Пауза включена')).toBeVisible();
  await page.locator('#resume').click();
  await page.getByRole('button', { name: 'Снять паузу' }).click();
  await expect(page.getByText('Пауза снята')).toBeVisible();
  await page.goto(at(demo, '/admin/account'));
  await page.getByRole('button', { name: 'Тёмный' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  expect(await demo.stop()).toBe(0);
});
