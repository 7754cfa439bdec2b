/** "Whose phone is this?": shown while the tab is nobody's phone. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import * as api from './api.ts';
import { Avatar } from './avatar.tsx';
import { fullName } from './menu.tsx';
import { LANGUAGES, type Language, languageOf, texts } from './texts.ts';
import type { Person } from './types.ts';
import { useWords } from './words.tsx';

/** Names longer than this are cut by Telegram. */
const NAME_MAX = 64;

/** The choice of a person. `group` is the group that will be read, if the address names one. */
export function Picker(props: {
  people: Person[] | null;
  group: number | null;
  failed: boolean;
  language: Language;
  setLanguage: (language: Language) => void;
  take: (person: Person) => void;
}) {
  const { t } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main class="picker" data-screen="picker">
      <div class="picker-card">
        <LanguageSwitch language={props.language} set={props.setLanguage} />
        <h1 ref={heading} tabIndex={-1}>
          {props.group === null ? t.whose : t.whoseGroup}
        </h1>
        <p class="picker-hint">{t.whoseHint}</p>
        {props.failed && (
          <p class="problem" role="alert">
            {t.offline}
          </p>
        )}
        <div class="picker-columns">
          <PeopleList people={props.people} group={props.group} take={props.take} />
          <NewGuest language={props.language} take={props.take} />
        </div>
        <p class="picker-local">{t.local}</p>
      </div>
      <div class="band" aria-hidden="true" />
    </main>
  );
}

/** Whether a person is in a group. */
export function reads(person: Person, group: number): boolean {
  return (person.chats ?? []).some((chat) => chat.id === group);
}

function PeopleList({
  people,
  group,
  take,
}: {
  people: Person[] | null;
  group: number | null;
  take: (p: Person) => void;
}) {
  const { t } = useWords();
  if (people === null) {
    return <p>{t.loading}</p>;
  }
  if (people.length === 0) {
    return <p>{t.nobody}</p>;
  }
  const isMember = (person: Person) => group === null || reads(person, group);
  const sorted = [...people].sort((a, b) => Number(isMember(b)) - Number(isMember(a)));
  return (
    <ul class="people">
      {sorted.map((person) => (
        <li key={person.id}>
          <button type="button" class="person" data-person={person.id} onClick={() => take(person)}>
            <Avatar id={person.id} name={person.first_name} bot={false} />
            <span>
              <b>{fullName(person)}</b>
              <span class="person-line">
                {[
                  person.username ? `@${person.username}` : null,
                  texts(languageOf(person.language_code)).language,
                  isMember(person) ? null : t.notMember,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function NewGuest({ language, take }: { language: Language; take: (person: Person) => void }) {
  const { t } = useWords();
  const [name, setName] = useState('');
  const [speaks, setSpeaks] = useState<Language>(language);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const ids = useId();
  useEffect(() => setSpeaks(language), [language]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    if (name.trim() === '') {
      setProblem(t.nameMissing);
      field.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      take(await api.addPerson(name.trim(), speaks));
    } catch {
      setProblem(t.failed);
      setBusy(false);
    }
  };

  return (
    <form class="new-guest" onSubmit={submit} noValidate>
      <h2>{t.newGuest}</h2>
      <div class="form-field">
        <label for={`${ids}-name`}>{t.name}</label>
        <input
          id={`${ids}-name`}
          ref={field}
          value={name}
          maxLength={NAME_MAX}
          autoComplete="off"
          aria-invalid={problem !== null}
          aria-describedby={`${ids}-hint ${ids}-problem`}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <p id={`${ids}-hint`} class="hint">
          {t.nameHint}
        </p>
        <p id={`${ids}-problem`} class="problem" role="alert">
          {problem}
        </p>
      </div>
      <fieldset class="choice">
        <legend>{t.speaks}</legend>
        <div class="choice-row">
          {LANGUAGES.map((one) => (
            <label key={one}>
              <input type="radio" name={`${ids}-speaks`} checked={speaks === one} onChange={() => setSpeaks(one)} />
              <span lang={one}>{texts(one).language}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <button type="submit" class="main" data-action="create-guest" aria-busy={busy}>
        {t.create}
      </button>
    </form>
  );
}

/** Three targets with words, never flags. */
function LanguageSwitch({ language, set }: { language: Language; set: (language: Language) => void }) {
  const { t } = useWords();
  const short: Record<Language, string> = { ru: 'Рус', uz: 'Oʻzb', en: 'Eng' };
  return (
    <div class="languages" role="group" aria-label={t.switch}>
      {LANGUAGES.map((one) => (
        <button key={one} type="button" lang={one} aria-pressed={language === one} onClick={() => set(one)}>
          {short[one]}
        </button>
      ))}
    </div>
  );
}
