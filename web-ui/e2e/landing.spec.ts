/** The landing site in the browser: the form in three languages, with and without JavaScript, on a phone and on 320 px. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { firstAddress, interrupt, killDemos, start } from './demo.ts';

test.afterEach(killDemos);

interface Landing {
  address: string;
  /** Standard output so far: without any configuration requests are printed there. */
  printed(): string;
  stop(): Promise<number | null>;
}

async function startLanding(variables: Record<string, string> = {}): Promise<Landing> {
  const folder = mkdtempSync(join(tmpdir(), 'stickers-landing-'));
  const child = start('stickers', ['landing'], folder, { LANDING_BIND: '127.0.0.1:0', ...variables });
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  return {
    address: await firstAddress(child),
    printed: () => printed,
    stop: async () => {
      const status = await interrupt(child);
      rmSync(folder, { recursive: true, force: true });
      return status;
    },
  };
}

const WORDS = {
  ru: { sent: 'Заявка у нас', again: 'Проверьте, пожалуйста', phone: 'С плюсом и кодом страны', failed: 'Не отправилось' },
  uz: { sent: 'Arizangiz bizda', again: 'Iltimos, tekshiring', phone: 'Plyus va mamlakat kodi', failed: 'Yuborilmadi' },
  en: { sent: 'We have your request', again: 'Please look again', phone: 'With plus and country code', failed: 'It was not sent' },
} as const;
const LANGUAGES = ['ru', 'uz', 'en'] as const;
const PHONE = { width: 390, height: 844 };

/** Fills the form in as a person does, who needs more than three seconds for it. */
async function fillIn(page: Page, name: string): Promise<void> {
  await page.locator('#name').fill(name);
  await page.locator('#telegram').fill('aziz_toy');
  await page.locator('#phone').fill('+998 90 123-45-67');
  await page.locator('#comment').fill('В цветах зала');
  await page.locator('[name="startedAt"]').evaluate((field) => {
    (field as HTMLInputElement).value = String(Date.now() - 60_000);
  });
}

const submit = (page: Page): Promise<void> => page.locator('form button[type="submit"]').click();

for (const language of LANGUAGES) {
  for (const javaScriptEnabled of [true, false]) {
    test(`the form is sent in ${language} ${javaScriptEnabled ? 'without a reload' : 'without JavaScript'}`, async ({ browser }) => {
      const site = await startLanding();
      const context = await browser.newContext({ viewport: PHONE, javaScriptEnabled, locale: language });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (line) => {
        if (line.type() === 'error' && !line.text().includes('422')) problems.push(line.text());
      });
      await page.goto(`${site.address}/?utm_source=e2e`);
      expect(new URL(page.url()).pathname).toBe(`/${language}`);
      await page.locator('.pitch .button').click();
      await fillIn(page, `Азиз ${language}`);
      await page.locator('#phone').fill('90 123');
      await submit(page);
      // Refused: the words are there, everything typed is there, the page is the same one when there is a script.
      await expect(page.locator('[data-summary]')).toContainText(WORDS[language].again);
      await expect(page.locator('#phone-error')).toContainText(WORDS[language].phone);
      await expect(page.locator('#name')).toHaveValue(`Азиз ${language}`);
      await expect(page.locator('#comment')).toHaveValue('В цветах зала');
      await expect(page.locator('#phone')).toHaveAttribute('aria-invalid', 'true');
      expect(new URL(page.url()).pathname).toBe(javaScriptEnabled ? `/${language}` : `/${language}/request`);
      if (javaScriptEnabled) {
        await expect(page.locator('[data-summary]')).toBeFocused();
        await page.locator('[data-summary] a').click();
        await expect(page.locator('#phone')).toBeFocused();
      }
      await page.locator('#phone').fill('+998 90 123-45-67');
      await submit(page);
      await expect(page.getByRole('heading', { name: WORDS[language].sent })).toBeVisible();
      await expect(page.locator('.sent strong')).toHaveText('@aziz_toy');
      await expect(page.locator('form:visible')).toHaveCount(0);
      await expect.poll(site.printed).toContain(`Имя: Азиз ${language}`);
      expect(site.printed()).toContain('utm_source: e2e');
      expect(site.printed().split('Заявка с сайта')).toHaveLength(2);
      expect(problems).toEqual([]);
      await context.close();
      expect(await site.stop()).toBe(0);
    });
  }
}

test('the sent screen stands instead of the form for 24 hours', async ({ page }) => {
  const site = await startLanding();
  await page.goto(`${site.address}/ru`);
  await fillIn(page, 'Лола');
  await submit(page);
  const sent = page.getByRole('heading', { name: WORDS.ru.sent });
  await expect(sent).toBeFocused();
  await page.goto(`${site.address}/en`);
  await expect(page.getByRole('heading', { name: WORDS.en.sent })).toBeVisible();
  await expect(page.locator('form')).toBeHidden();
  await page.evaluate(() => {
    for (const key of Object.keys(localStorage)) localStorage.setItem(key, String(Date.now() - 24 * 60 * 60 * 1000));
  });
  await page.reload();
  await expect(page.locator('form')).toBeVisible();
  await site.stop();
});

test('a request that nobody took keeps the form filled, and so does a site that is gone', async ({ page }) => {
  const site = await startLanding({ LEADS_ENDPOINT: 'http://127.0.0.1:9/leads', LEADS_SECRET: 'a-secret' });
  await page.goto(`${site.address}/uz`);
  await fillIn(page, 'Дилноза');
  await submit(page);
  await expect(page.locator('[data-summary]')).toContainText(WORDS.uz.failed);
  await expect(page.locator('#name')).toHaveValue('Дилноза');
  await site.stop();
  await page.locator('#name').fill('Дилноза К.');
  await submit(page);
  await expect(page.locator('[data-summary]')).toContainText(WORDS.uz.failed);
  await expect(page.locator('#name')).toHaveValue('Дилноза К.');
});

/** How far the page can be scrolled sideways, px. */
const overhang = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('the page fits 320 px and its button stands above the fold of a phone', async ({ page }) => {
  const site = await startLanding();
  for (const language of LANGUAGES) {
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${site.address}/${language}`);
      expect(await overhang(page), `${language} at ${width}`).toBe(0);
      if (width === 390) {
        const box = await page.locator('.pitch .button').boundingBox();
        expect((box?.y ?? 1_000) + (box?.height ?? 0), language).toBeLessThanOrEqual(844);
      }
      const small = await page.locator('a:visible, button:visible, summary:visible').evaluateAll((targets) =>
        targets
          .filter((target) => !target.classList.contains('skip') && target.closest('p, [hidden]') === null)
          .filter((target) => target.getBoundingClientRect().height < 44)
          .map((target) => target.textContent),
      );
      expect(small, `${language} at ${width}`).toEqual([]);
    }
  }
  await site.stop();
});

test('nothing on the page moves while it loads', async ({ page }) => {
  const site = await startLanding();
  for (const viewport of [PHONE, { width: 1440, height: 900 }]) {
    await page.setViewportSize(viewport);
    await page.goto(`${site.address}/ru`, { waitUntil: 'networkidle' });
    const shifted = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
        }),
    );
    expect(shifted).toBeLessThan(0.05);
  }
  await site.stop();
});

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

test('an accessibility checker finds nothing serious: page, errors, sent, missing page', async ({ page }) => {
  const site = await startLanding({ PRIVACY_URL: 'https://example.org/privacy' });
  for (const [language, viewport] of [['ru', PHONE], ['uz', { width: 1440, height: 900 }], ['en', PHONE]] as const) {
    await page.setViewportSize(viewport);
    await page.goto(`${site.address}/${language}`);
    expect(await seriousFaults(page), `${language} page`).toEqual([]);
    await fillIn(page, '');
    await submit(page);
    await expect(page.locator('[data-summary]')).toBeFocused();
    expect(await seriousFaults(page), `${language} errors`).toEqual([]);
    await fillIn(page, 'Aziz');
    await submit(page);
    await expect(page.getByRole('heading', { name: WORDS[language].sent })).toBeFocused();
    expect(await seriousFaults(page), `${language} sent`).toEqual([]);
    await page.evaluate(() => localStorage.clear());
  }
  await page.goto(`${site.address}/nothing`);
  expect(await seriousFaults(page), 'missing page').toEqual([]);
  await site.stop();
});
