/** Decides what the tab is: the question whose phone it is, a phone, or a sticker set alone. */
import { useEffect, useState } from 'preact/hooks';
import * as kept from './kept.ts';
import { type Route, addressOf, route as routeOf, targetOf } from './links.ts';
import { Picker, reads } from './people.tsx';
import { Phone } from './phone.tsx';
import { SetPage } from './set-page.tsx';
import { type Language, filled, languageOf, texts } from './texts.ts';
import { useTheme } from './theme.ts';
import type { Bot, Person } from './types.ts';
import { WordsProvider, useWords } from './words.tsx';
import { useWorld } from './world.ts';

/** The whole page. */
export function App() {
  const tab = useTab();
  const [theme, setTheme] = useState(kept.theme());
  useTheme(theme);
  const choose = (chosen: kept.Theme) => {
    kept.keepTheme(chosen);
    setTheme(chosen);
  };
  const t = texts(tab.language);
  useDocument(tab.language, titleOf(tab.route, tab.world.bots ?? [], t.page));
  return (
    <WordsProvider value={{ language: tab.language, t }}>
      {tab.person === null ? <Nobody tab={tab} /> : <Somebody tab={tab} person={tab.person} theme={[theme, choose]} />}
    </WordsProvider>
  );
}

type Tab = ReturnType<typeof useTab>;

/** Whose phone the tab is, what its address asks for, and how both change. */
function useTab() {
  const { route, go, replace } = useRoute();
  const world = useWorld();
  const [pickerLanguage, setPickerLanguage] = useState(kept.language());
  const [personId, setPersonId] = usePerson(route);
  const [asked, setAsked] = useState(false);
  const person = world.people?.find((one) => one.id === personId) ?? null;
  const group = route.kind === 'chat' ? route.group : null;
  const reader = asked || group === null ? null : readerOf(world.people, group, person);
  useEffect(() => {
    if (reader !== null && reader !== personId) setPersonId(reader);
  }, [reader]);

  const take = (taken: Person) => {
    world.adopt(taken);
    setPersonId(taken.id);
    world.reload();
  };
  const otherPhone = () => {
    setAsked(true);
    setPersonId(null);
    world.reload();
    if (route.kind === 'chat' && route.person !== null) {
      replace({ ...route, person: null });
    }
  };
  const setLanguage = (chosen: Language) => {
    kept.keepLanguage(chosen);
    setPickerLanguage(chosen);
  };
  const language = person === null ? pickerLanguage : languageOf(person.language_code);
  return { ...{ route, go, replace, world, person, personId, group, language }, take, otherPhone, setLanguage };
}

/** The tab is nobody's phone: a set to look at, or the question whose phone it is. */
function Nobody({ tab }: { tab: Tab }) {
  const { route, world } = tab;
  if (route.kind === 'set') {
    const toChat = () => tab.go({ kind: 'chat', person: null, chat: null, group: null });
    return <SetPage name={route.name} toChat={toChat} />;
  }
  if (tab.personId !== null && world.people === null) {
    return <Waiting failed={world.failed} />;
  }
  return (
    <Picker
      people={world.people}
      group={tab.group}
      failed={world.failed}
      language={tab.language}
      setLanguage={tab.setLanguage}
      take={tab.take}
    />
  );
}

/** The tab is a person's phone. */
function Somebody(props: { tab: Tab; person: Person; theme: [kept.Theme, (theme: kept.Theme) => void] }) {
  const { tab, person, theme } = props;
  const { route, world } = tab;
  if (world.bots === null) {
    return <Waiting failed={world.failed} />;
  }
  const target = targetOf(route, person, world.bots);
  if (target === null) {
    return <NoTarget route={route} otherPhone={tab.otherPhone} />;
  }
  return (
    <Phone
      key={`${person.id}:${target}`}
      person={person}
      chat={target}
      bots={world.bots}
      payload={route.kind === 'start' ? route.payload : undefined}
      set={route.kind === 'set' ? route.name : null}
      theme={theme[0]}
      setTheme={theme[1]}
      go={tab.go}
      started={() => tab.replace({ kind: 'chat', person: person.id, chat: target, group: null })}
      choose={(chosen) => tab.replace({ kind: 'chat', person: chosen, chat: target, group: null })}
      moved={(chat) => {
        tab.replace({ kind: 'chat', person: person.id, chat, group: null });
        world.reload();
      }}
      otherPhone={tab.otherPhone}
      reload={world.reload}
    />
  );
}

/** A group opens without a question: as the person of the tab who is in it, else as the first who is. */
function readerOf(people: Person[] | null, group: number, person: Person | null): number | null {
  if (person !== null && reads(person, group)) return person.id;
  return (people ?? []).find((one) => reads(one, group))?.id ?? null;
}

function useRoute() {
  const read = () => routeOf(new URL(window.location.href));
  const [route, setRoute] = useState<Route>(read);
  useEffect(() => {
    const back = () => setRoute(read());
    window.addEventListener('popstate', back);
    return () => window.removeEventListener('popstate', back);
  }, []);
  const change = (how: 'pushState' | 'replaceState') => (to: Route) => {
    window.history[how](null, '', addressOf(to));
    setRoute(to);
  };
  return { route, go: change('pushState'), replace: change('replaceState') };
}

/** The person of the tab: whom the address names, else whom the tab remembers. */
function usePerson(route: Route): [number | null, (id: number | null) => void] {
  const named = route.kind === 'chat' ? route.person : null;
  const [person, setPerson] = useState<number | null>(() => named ?? kept.person());
  const set = (id: number | null) => {
    kept.keepPerson(id);
    setPerson(id);
  };
  useEffect(() => {
    if (named !== null) set(named);
  }, [named]);
  return [person, set];
}

function useDocument(language: string, title: string): void {
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = title;
  }, [language, title]);
}

function titleOf(route: Route, bots: readonly Bot[], page: string): string {
  const id = route.kind === 'chat' ? route.chat : null;
  const bot = bots.find((one) => one.id === id) ?? (route.kind === 'start' ? bots[0] : undefined);
  return bot === undefined ? page : bot.first_name;
}

/** The tab is somebody's phone already; the world has not answered yet. */
function Waiting({ failed }: { failed: boolean }) {
  const { t } = useWords();
  return (
    <main class="picker">
      <p class="picker-card" role="status">
        {failed ? t.offline : t.loading}
      </p>
    </main>
  );
}

/** The address names a bot or a chat that is not here. */
function NoTarget({ route, otherPhone }: { route: Route; otherPhone: () => void }) {
  const { t } = useWords();
  const start = route.kind === 'start';
  return (
    <main class="picker">
      <div class="picker-card">
        <h1>{start ? filled(t.noBot, { bot: `@${route.bot}` }) : t.noChat}</h1>
        <p class="picker-hint">{start ? t.noBotHint : t.noChatHint}</p>
        <button type="button" class="second" onClick={otherPhone}>
          {t.otherPhone}
        </button>
      </div>
    </main>
  );
}
