/** Forty pieces of confetti, once, beside the text. Their places are worked out, not drawn by lot: every guest gets the same. */
import { useEffect, useRef } from 'preact/hooks';

const pieces = 40;
const colours = 5;

/** The confetti of a finished visit. */
export function Confetti() {
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const children = field.current?.children ?? [];
    for (let index = 0; index < children.length; index += 1) {
      const piece = children[index];
      if (piece instanceof HTMLElement) place(piece, index);
    }
  }, []);
  return (
    <div class="confetti" ref={field} aria-hidden="true">
      {Array.from({ length: pieces }, (_, index) => <i key={index} class={`colour-${index % colours}`} />)}
    </div>
  );
}

/** Golden steps spread the pieces evenly without a pattern that the eye finds. */
function place(piece: HTMLElement, index: number): void {
  const across = (index * 0.618034) % 1;
  const down = (index * 0.754878) % 1;
  piece.style.setProperty('--x', `${(across * 100).toFixed(1)}%`);
  piece.style.setProperty('--y', `${(down * 100).toFixed(1)}%`);
  piece.style.setProperty('--turn', `${Math.round(across * 360)}deg`);
  piece.style.setProperty('--wait', `${Math.round(down * 300)}ms`);
}
