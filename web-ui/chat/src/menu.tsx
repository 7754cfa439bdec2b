/** The phone's own menu: whose it is, its chats, its theme, and the way to another phone. */
import { useId } from 'preact/hooks';
import { Avatar } from './avatar.tsx';
import type { Theme } from './kept.ts';
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
      <ThemeSwitch theme={props.theme} setTheme={props.setTheme} />
      <div class="menu-acts">
        {blocked !== null && (
          <button type="button" class="second" onClick={() => props.setBlocked(!blocked)}>
            {blocked ? t.unblock : t.block}
          </button>
        )}
        <button type="button" class="second" onClick={props.otherPhone}>
          {t.otherPhone}
        </button>
      </div>
    </div>
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
