/** A press is seen at pointer down, before any answer and before the browser decides that it was a tap. */

/** Marks the button under a finger until the finger leaves; guests get no menu, no selection, no zoom. */
export function pressAtOnce(): void {
  let pressed: Element | null = null;
  const release = (): void => {
    pressed?.removeAttribute('data-pressed');
    pressed = null;
  };
  document.addEventListener('pointerdown', (event) => {
    release();
    pressed = event.target instanceof Element ? event.target.closest('button') : null;
    pressed?.setAttribute('data-pressed', '');
  });
  for (const end of ['pointerup', 'pointercancel'] as const) document.addEventListener(end, release);
  document.addEventListener('contextmenu', (event) => event.preventDefault());
}
