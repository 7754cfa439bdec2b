/** The phone's own menu: whose it is, its chats, its theme, and the way to another phone. */
import { useId, useState } from 'preact/hooks';
import { Avatar } from './avatar.tsx';
import type { Theme } from './kept.ts';
import { type Route, inside } from './links.ts';
import type { Bot, Chat, Person } from './types.ts';
import { useWords } from './words.tsx';

/** The whole name of a person. */
export function fullName(person: Person): string {
  return [person.first_name, person.last_name].filter(Boolean).join(' ');
}

/** The chats that a phone lists: those that the person has, and every bot that could be started. */
export function chatsOf(person: Person, bots: readonly Bot[]): (Chat & { bot: boolean })[] {
  const own = (person.chats ?? []).map((chat) => ({ ...chat, bot: bots.some((bot) => bot.id === chat.id) }));
  const others = bots
    .filter((bot) => !own.some((chat) => chat.id === bot.id))
    .map((bot) => ({ id: bot.id, type: 'private', title: bot.first_name, bot: true }));
  return [...own, ...others];
}

/** The contents of the menu. */
export function PhoneMenu(props: {
  person: Person;
  chats: (Chat & { bot: boolean })[];
  current: number;
  theme: Theme;
  blocked: boolean | null;
  go: (chat: Chat) => void;
  open: (route: Route) => void;
  setTheme: (theme: Theme) => void;
  setBlocked: (blocked: boolean) => void;
  otherPhone: () => void;
}) {
  const { t } = useWords();
  const blocked = props.blocked;
  return (
    <div class="menu">
      <p class="menu-local">{t.local}</p>
      <h3>{t.chats}</h3>
      <ul class="menu-chats">
        {props.chats.map((chat) => (
          <li key={chat.id}>
            <button
              type="button"
              class="menu-chat"
              aria-current={chat.id === props.current ? 'page' : undefined}
              onClick={() => props.go(chat)}
            >
              <Avatar id={chat.id} name={chat.title} bot={chat.bot} />
              <span>{chat.title}</span>
            </button>
          </li>
        ))}
      </ul>
      <LinkField open={props.open} />
      <ThemeSwitch theme={props.theme} setTheme={props.setTheme} />
      <div class="menu-acts">
        {blocked !== null && (
          <button type="button" class="second" onClick={() => props.setBlocked(!blocked)}>
            {blocked ? t.unblock : t.block}
          </button>
        )}
        <button type="button" class="second" data-action="other-phone" onClick={props.otherPhone}>
          {t.otherPhone}
        </button>
      </div>
    </div>
  );
}

/** A phone reads the kiosk's code with its camera; here its link is pasted. */
function LinkField({ open }: { open: (route: Route) => void }) {
  const { t } = useWords();
  const [link, setLink] = useState('');
  const [strange, setStrange] = useState(false);
  const id = useId();
  const submit = (event: Event) => {
    event.preventDefault();
    const route = inside(link.trim(), new URL(window.location.href));
    setStrange(route === null);
    if (route !== null) {
      setLink('');
      open(route);
    }
  };
  return (
    <form class="form-field" onSubmit={submit}>
      <label for={id}>{t.link}</label>
      <div class="field-line">
        <input
          id={id}
          value={link}
          inputMode="url"
          autoComplete="off"
          spellcheck={false}
          aria-invalid={strange}
          aria-describedby={`${id}-hint ${id}-problem`}
          onInput={(event) => setLink(event.currentTarget.value)}
        />
        <button type="submit" class="second">
          {t.linkOpen}
        </button>
      </div>
      <p id={`${id}-hint`} class="hint">
        {t.linkHint}
      </p>
      <p id={`${id}-problem`} class="problem" role="alert">
        {strange ? t.linkStrange : ''}
      </p>
    </form>
  );
}

function ThemeSwitch({ theme, setTheme }: { theme: Theme; setTheme: (theme: Theme) => void }) {
  const { t } = useWords();
  const name = useId();
  const choices: [Theme, string][] = [
    ['auto', t.themeAuto],
    ['light', t.themeLight],
    ['dark', t.themeDark],
  ];
  return (
    <fieldset class="choice">
      <legend>{t.theme}</legend>
      <div class="choice-row">
        {choices.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name={name} checked={theme === value} onChange={() => setTheme(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
