/** What is wrong with a form, in place: at each field, and in a summary on top that links to them. The words come with the page. */

const fieldOf = (form: HTMLElement, name: string): HTMLElement | null =>
  form.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);

const inputOf = (field: HTMLElement): HTMLElement | null => field.querySelector<HTMLElement>('input, textarea');

function setError(field: HTMLElement, words: string | null): void {
  const error = field.querySelector<HTMLElement>('.error');
  if (error) {
    error.textContent = words ?? '';
    error.hidden = words === null;
  }
  if (words === null) inputOf(field)?.removeAttribute('aria-invalid');
  else inputOf(field)?.setAttribute('aria-invalid', 'true');
}

function summary(form: HTMLElement, ...content: Node[]): void {
  const box = form.querySelector<HTMLElement>('[data-summary]');
  if (!box) return;
  box.replaceChildren(...content);
  box.hidden = content.length === 0;
  if (content.length > 0) box.focus();
}

function paragraph(words: string): HTMLElement {
  const line = document.createElement('p');
  line.textContent = words;
  return line;
}

function clear(form: HTMLElement): void {
  for (const field of form.querySelectorAll<HTMLElement>('[data-field]')) setError(field, null);
}

/** Shows each field's error and the summary, which gets the focus. */
export function showErrors(form: HTMLElement, errors: Record<string, string>): void {
  clear(form);
  const list = document.createElement('ul');
  for (const field of form.querySelectorAll<HTMLElement>('[data-field]')) {
    const name = field.dataset.field ?? '';
    const code = errors[name];
    if (code === undefined) continue;
    setError(field, field.getAttribute(`data-${code}`) ?? field.dataset.invalid ?? '');
    const link = document.createElement('a');
    link.href = `#${name}`;
    link.textContent = field.querySelector('label')?.firstChild?.textContent?.trim() ?? name;
    const item = document.createElement('li');
    item.append(link);
    list.append(item);
  }
  // An error of a field that no visitor sees is ours; the visitor can only try again.
  if (list.childElementCount === 0) showTrouble(form, form.dataset.failed ?? '');
  else summary(form, paragraph(form.dataset.lookAgain ?? ''), list);
}

/** Says above the form that it did not arrive although every field is right. */
export function showTrouble(form: HTMLElement, words: string): void {
  clear(form);
  summary(form, paragraph(words));
}

/** An error goes when its field is changed; whether it is right now is for the server to say. */
export function clearErrorOnInput(form: HTMLFormElement): void {
  form.addEventListener('input', (event) => {
    const field = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-field]') : null;
    if (field && fieldOf(form, field.dataset.field ?? '') === field) setError(field, null);
  });
  // A link of the summary leads to the field itself, not only to its place on the page.
  form.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('[data-summary] a') : null;
    const field = link ? fieldOf(form, link.hash.slice(1)) : null;
    if (!field) return;
    event.preventDefault();
    inputOf(field)?.focus();
  });
}
