/** The form without a reload. Without this script the page does the same, one page load slower. */
import './styles/index.css';
import { showErrors, showTrouble, clearErrorOnInput } from './errors.ts';
import { send, type Answer } from './send.ts';
import { remember, wasSentLately } from './sent.ts';

/** Parts of the page that the form needs. */
interface Parts {
  form: HTMLFormElement;
  button: HTMLButtonElement;
  ask: HTMLElement;
  sent: HTMLElement;
}

function parts(): Parts | null {
  const form = document.querySelector<HTMLFormElement>('form.form');
  const button = form?.querySelector<HTMLButtonElement>('button[type="submit"]');
  const ask = document.querySelector<HTMLElement>('[data-form]');
  const sent = document.querySelector<HTMLElement>('[data-sent]');
  return form && button && ask && sent ? { form, button, ask, sent } : null;
}

/** The sent screen instead of the form; `telegram` is where the answer comes. */
function showSent({ ask, sent }: Parts, telegram: string | null): void {
  const place = sent.querySelector<HTMLElement>('[data-sent-to]');
  if (place && telegram) {
    const name = document.createElement('strong');
    name.textContent = telegram.startsWith('@') ? telegram : `@${telegram}`;
    place.replaceChildren(': ', name);
  }
  ask.hidden = true;
  sent.hidden = false;
}

function take(page: Parts, answer: Answer, telegram: string): void {
  const { form } = page;
  switch (answer.result) {
    case 'sent':
      remember(localStorageOrNull(), Date.now());
      showSent(page, telegram);
      page.sent.querySelector<HTMLElement>('[data-sent-title]')?.focus();
      break;
    case 'invalid':
      showErrors(form, answer.errors);
      break;
    case 'throttled':
      showTrouble(form, form.dataset.throttled ?? '');
      break;
    case 'error':
      showTrouble(form, form.dataset.failed ?? '');
      break;
  }
}

/** While it works a second press does nothing; the words stay in the form whatever comes back. */
function listen(page: Parts): void {
  const { form, button } = page;
  const words = button.textContent;
  let isBusy = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    button.setAttribute('aria-busy', 'true');
    button.textContent = form.dataset.sending ?? words;
    const data = new FormData(form);
    const answer = await send(form.action, data);
    button.textContent = words;
    button.removeAttribute('aria-busy');
    isBusy = false;
    take(page, answer, String(data.get('telegram') ?? '').trim());
  });
  clearErrorOnInput(form);
}

/** A browser may forbid the storage; then the page only forgets that something was sent. */
function localStorageOrNull(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

const page = parts();
if (page) {
  if (wasSentLately(localStorageOrNull(), Date.now())) showSent(page, null);
  else listen(page);
} else if (document.querySelector('[data-was-sent]')) {
  // The form went without this script, or before it had arrived.
  remember(localStorageOrNull(), Date.now());
}
