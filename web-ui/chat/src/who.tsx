/** In a group the tab is a window on the group: here the reader chooses as which member they write and press buttons. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Avatar } from './avatar.tsx';
import { filled } from './texts.ts';
import type { Member } from './types.ts';
import { useWords } from './words.tsx';

interface Props {
  people: Member[];
  me: number;
  hidden: boolean;
  choose: (person: number) => void;
  hide: (hidden: boolean) => void;
}

/** The button left of the line, with the list above it. */
export function Who(props: Props) {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const me = props.people.find((one) => one.id === props.me);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  useClosedOutside(place, open, () => setOpen(false));
  if (me === undefined) return null;
  const words = filled(t.writesAs, { name: me.name });
  return (
    <div
      class="who"
      ref={place}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && open) {
          event.stopPropagation();
          close();
        }
      }}
    >
      <button
        ref={button}
        type="button"
        class="who-button"
        data-action="who"
        aria-label={words}
        title={words}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Avatar id={me.id} name={me.name} bot={false} />
      </button>
      {open && <People {...props} close={close} />}
    </div>
  );
}

function People(props: Props & { close: () => void }) {
  const { t } = useWords();
  const current = useRef<HTMLButtonElement>(null);
  useEffect(() => current.current?.focus(), []);
  const admin = props.people.find((one) => one.id === props.me)?.admin === true;
  const choose = (person: number) => {
    props.close();
    if (person !== props.me) props.choose(person);
  };
  return (
    <div class="who-list" role="group" aria-label={t.whoWrites}>
      <p>{t.whoWrites}</p>
      <ul>
        {props.people.map((one) => (
          <li key={one.id}>
            <button
              ref={one.id === props.me ? current : undefined}
              type="button"
              class="who-person"
              data-member={one.id}
              aria-pressed={one.id === props.me}
              onClick={() => choose(one.id)}
            >
              <Avatar id={one.id} name={one.name} bot={false} />
              <span>
                <b>{one.name}</b>
                {one.admin && <span class="who-line">{t.admin}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {admin && (
        <label class="who-hidden">
          <input
            type="checkbox"
            checked={props.hidden}
            onChange={(event) => props.hide(event.currentTarget.checked)}
          />
          <span>{t.asGroup}</span>
        </label>
      )}
    </div>
  );
}

/** A press outside puts the list away. */
function useClosedOutside(place: { current: HTMLElement | null }, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return undefined;
    const press = (event: PointerEvent) => {
      if (event.target instanceof Node && place.current?.contains(event.target) === false) close();
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [open]);
}
