/** The buttons under a message. A pressed one turns until the bot answers; one that is a link opens what it means. */
import { OutIcon } from './icons.tsx';
import { type Route, inside, safe } from './links.ts';
import type { Button, Place } from './types.ts';
import { useWords } from './words.tsx';

/** The widest row decides the columns, so that buttons of two rows stand under each other. */
export function columns(rows: readonly (readonly unknown[])[]): number {
  return Math.max(1, ...rows.map((row) => row.length));
}

/** The rows of buttons. */
export function Keyboard(props: {
  rows: Button[][];
  pressed: Place | null;
  press: (place: Place) => void;
  open: (route: Route) => void;
}) {
  return (
    <div class="keys" data-columns={Math.min(8, columns(props.rows))}>
      {props.rows.map((row, at) => (
        <div class={row.length === 1 ? 'keys-row keys-single' : 'keys-row'} key={at}>
          {row.map((button, col) => (
            <Key
              key={col}
              button={button}
              busy={props.pressed?.row === at && props.pressed.col === col}
              press={() => props.press({ row: at, col })}
              open={props.open}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function Key({
  button,
  busy,
  press,
  open,
}: {
  button: Button;
  busy: boolean;
  press: () => void;
  open: (r: Route) => void;
}) {
  const { t } = useWords();
  if (button.url !== null && button.url !== undefined) {
    return <LinkKey button={button} to={button.url} open={open} />;
  }
  return (
    <button type="button" class="key" aria-busy={busy} aria-disabled={busy} onClick={() => !busy && press()}>
      <span>{button.text}</span>
      {busy && <span class="spinner" role="img" aria-label={t.waiting} />}
    </button>
  );
}

function LinkKey({ button, to, open }: { button: Button; to: string; open: (route: Route) => void }) {
  const { t } = useWords();
  const here = new URL(window.location.href);
  const within = inside(to, here);
  if (within !== null) {
    return (
      <button type="button" class="key" onClick={() => open(within)}>
        <span>{button.text}</span>
      </button>
    );
  }
  return (
    <a class="key" href={safe(to, here) ?? undefined} target="_blank" rel="noopener noreferrer">
      <span>{button.text}</span>
      <OutIcon />
      <span class="visually-hidden">, {t.outside}</span>
    </a>
  );
}
