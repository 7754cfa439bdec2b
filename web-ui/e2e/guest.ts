/** What stories share: START on the tablet, and a new guest who opens the link on their phone. */
import type { Page } from '@playwright/test';

/** From START to the QR; answers the link behind the code. */
export async function tapStart(kiosk: Page): Promise<string> {
  await kiosk.locator('[data-screen="attract"]').waitFor();
  const opened = kiosk.waitForResponse((answer) => answer.url().endsWith('/session') && answer.status() === 201);
  await kiosk.locator('[data-action="start"]').click();
  const session = (await (await opened).json()) as { deep_link: string };
  await kiosk.locator('[data-screen="qr"]').waitFor();
  return session.deep_link;
}

/** A new guest opens the link on their phone and presses Start. */
export async function createGuest(phone: Page, link: string, name: string, language: 'ru' | 'uz' | 'en'): Promise<void> {
  await phone.goto(link);
  const form = phone.locator('form', { has: phone.locator('[data-action="create-guest"]') });
  await form.locator('input').first().fill(name);
  await form.locator(`label:has(span[lang="${language}"])`).click();
  await form.locator('[data-action="create-guest"]').click();
  await phone.locator('[data-action="start"]').click();
}

/** The same guest opens another link on the phone they have. */
export async function startAgain(phone: Page, link: string): Promise<void> {
  await phone.goto(link);
  await phone.locator('[data-action="start"]').click();
}
