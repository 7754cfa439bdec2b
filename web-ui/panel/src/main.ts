/** The script of the admin panel: pages that update themselves, and buttons that are pressed once. */
import htmx from 'htmx.org';
import './styles/index.css';
import { follow } from './live.ts';

// The content policy allows neither inline styles nor code made from text; nothing is ever asked of another server.
htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
htmx.config.allowScriptTags = false;
htmx.config.selfRequestsOnly = true;
htmx.config.historyEnabled = false;
htmx.config.timeout = 10_000;

/** A form that is under way is not sent again; the page that comes back has a fresh one. */
function pressOnce(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
    if (form.dataset.busy !== undefined) {
      event.preventDefault();
      return;
    }
    form.dataset.busy = '';
    event.submitter?.setAttribute('aria-busy', 'true');
  });
  // Back from another page: the browser may show this one as it was left.
  window.addEventListener('pageshow', () => {
    for (const form of document.querySelectorAll<HTMLFormElement>('form[data-busy]')) {
      delete form.dataset.busy;
      for (const button of form.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
    }
  });
}

pressOnce();
follow(htmx);
