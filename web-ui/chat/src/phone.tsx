/** One phone with one chat open: head, log, and at the bottom either START or the composer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from './api.ts';
import { Avatar } from './avatar.tsx';
import { offered } from './commands.ts';
import { Composer } from './composer.tsx';
import { MenuIcon } from './icons.tsx';
import * as kept from './kept.ts';
import type { Route } from './links.ts';
import { type Live, useLive } from './live.ts';
import { Dots, Log, type Pending } from './log.tsx';
import { PhoneMenu, chatsOf, fullName } from './menu.tsx';
import type { MessageActions } from './message.tsx';
import { NoticeView, useNotice } from './notice.tsx';
import { AddButton, SetGrid, Tray, useSet, useSetWords } from './set.tsx';
import { Side } from './side.tsx';
import { filled, plural } from './texts.ts';
import type { Bot, Chat, Message, Person, View } from './types.ts';
import { useWide } from './wide.ts';
import { useWords } from './words.tsx';

interface Props {
  person: Person;
  chat: number;
  bots: Bot[];
  /** The payload of a start link that waits to be handed over; `undefined` when the address is no start link. */
  payload: string | null | undefined;
  set: string | null;
  theme: kept.Theme;
  setTheme: (theme: kept.Theme) => void;
  go: (route: Route) => void;
  started: () => void;
  otherPhone: () => void;
  reload: () => void;
}

/** What is open beside the chat. */
type Beside = { kind: 'set'; name: string } | { kind: 'menu' } | null;

/** The page of one person and one chat. */
export function Phone(props: Props) {
  const phone = usePhone(props);
  const { live, beside, wide, bot } = phone;
  const view = live.state === 'open' ? live.view : null;
  const group = bot === null;
  const sheet = !wide && beside !== null;
  const resting = wide && !group && beside === null;
  return (
    <div class={`desk ${group ? 'desk-group' : 'desk-private'} ${beside !== null || resting ? 'desk-beside' : ''}`}>
      <main class="phone" inert={sheet}>
        <Head live={live} bot={bot} openMenu={resting ? null : () => phone.setBeside({ kind: 'menu' })} />
        {live.state !== 'loading' && live.state !== 'nobody' && !live.online && <OfflineChip />}
        <Middle phone={phone} view={view} />
        <Bottom phone={phone} view={view} payload={props.payload} />
        <NoticeView notice={phone.notice.shown} close={phone.notice.close} />
      </main>
      {(beside !== null || resting) && <BesidePhone {...props} phone={phone} sheet={sheet} />}
    </div>
  );
}

type PhoneState = ReturnType<typeof usePhone>;

function usePhone(props: Props) {
  const { person, chat, bots } = props;
  const { t } = useWords();
  const wide = useWide();
  const [again, setAgain] = useState(0);
  const live = useLive(person.id, chat, again);
  const [beside, setBeside] = useState<Beside>(props.set === null ? null : { kind: 'set', name: props.set });
  const [tray, setTray] = useState(false);
  const [sets, setSets] = useState(() => kept.sets(person.id));
  const [replying, setReplying] = useState<Message | null>(null);
  const [pending, setPending] = useState<(Pending & { revision: number }) | null>(null);
  const [blockedHere, setBlockedHere] = useState<boolean | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const view = live.state === 'open' ? live.view : null;
  const notice = useNotice(view?.notice, view !== null);
  const where = { person: person.id, chat };
  const bot = bots.find((one) => one.id === chat) ?? null;

  useEffect(() => {
    if (props.set !== null) setBeside({ kind: 'set', name: props.set });
  }, [props.set]);
  useEffect(() => {
    if (live.state === 'nobody') props.otherPhone();
  }, [live.state]);
  // The first view after the press carries what the server made of it.
  useEffect(() => {
    if (pending !== null && view !== null && view.revision > pending.revision) setPending(null);
  }, [view?.revision]);

  /** Whatever fails says so in a line; the page stays as it was. */
  const attempt = async (doing: Promise<unknown>): Promise<boolean> => {
    try {
      await doing;
      return true;
    } catch {
      notice.show({ text: t.failed, at: Date.now() });
      return false;
    }
  };
  const open = (route: Route) => {
    if (route.kind === 'set') setBeside({ kind: 'set', name: route.name });
    else props.go(route);
  };
  const actions: MessageActions = {
    open,
    openSet: (name) => setBeside({ kind: 'set', name }),
    command: (text) => void attempt(api.send(where, text, null)),
    reply: (message) => {
      setReplying(message);
      field.current?.focus();
    },
    press: (message, place) => {
      setPending({ message: message.id, ...place, revision: view?.revision ?? 0 });
      void attempt(api.press(where, message.id, place.row, place.col)).then((done) => done || setPending(null));
    },
  };
  return {
    ...{
      live,
      bot,
      wide,
      beside,
      setBeside,
      tray,
      setTray,
      sets,
      replying,
      setReplying,
      pending,
      field,
      notice,
      actions,
    },
    blocked: view?.blocked ?? blockedHere ?? false,
    send: (text: string) => {
      void attempt(api.send(where, text, replying?.id ?? null));
      setReplying(null);
    },
    sendSticker: (set: string, index: number) => void attempt(api.sendSticker(where, set, index)),
    start: async (payload: string | null) => {
      if (!(await attempt(api.start(person.id, chat, payload)))) return;
      setBlockedHere(false);
      setAgain((count) => count + 1);
      props.started();
      props.reload();
    },
    setBlocked: async (blocked: boolean) => {
      if (await attempt(api.block(person.id, chat, blocked))) setBlockedHere(blocked);
    },
    toggleSet: (name: string) => {
      const next = sets.includes(name) ? sets.filter((one) => one !== name) : [...sets, name];
      kept.keepSets(person.id, next);
      setSets(next);
    },
  };
}

function Head({ live, bot, openMenu }: { live: Live; bot: Bot | null; openMenu: (() => void) | null }) {
  const { t, language } = useWords();
  const chat = live.state === 'open' ? live.view.chat : null;
  const title = chat?.title ?? bot?.first_name ?? '';
  const typing = live.state === 'open' && live.view.typing === true;
  return (
    <header class="head">
      <Avatar id={chat?.id ?? bot?.id ?? 0} name={title} bot={bot !== null} />
      <div class="head-words">
        <h1>{title}</h1>
        <p>
          {typing ? (
            <>
              {t.typing} <Dots />
            </>
          ) : bot !== null ? (
            t.bot
          ) : chat === null ? (
            ''
          ) : (
            plural(t.group, chat.members ?? 0, language)
          )}
        </p>
      </div>
      {openMenu !== null && (
        <button type="button" class="tool" onClick={openMenu} aria-label={t.menu} title={t.menu}>
          <MenuIcon />
        </button>
      )}
    </header>
  );
}

function OfflineChip() {
  const { t } = useWords();
  return (
    <p class="offline" role="status">
      {t.offline}
    </p>
  );
}

function Middle({ phone, view }: { phone: PhoneState; view: View | null }) {
  const { t } = useWords();
  if (view !== null && view.messages.length > 0) {
    return (
      <Log
        messages={view.messages}
        group={phone.bot === null}
        pending={phone.pending}
        typing={view.typing === true ? view.chat.title : null}
        actions={phone.actions}
      />
    );
  }
  return (
    <div class="field field-empty">
      {phone.live.state === 'loading' && <p class="pill">{phone.live.online ? t.loading : t.offline}</p>}
      {phone.live.state !== 'loading' && phone.bot === null && view === null && (
        <div class="intro">
          <h2>{t.noChat}</h2>
          <p>{t.noChatHint}</p>
        </div>
      )}
      {phone.live.state !== 'loading' && phone.bot !== null && (
        <div class="intro">
          <Avatar id={phone.bot.id} name={phone.bot.first_name} bot />
          <h2>{filled(t.startTitle, { bot: phone.bot.first_name })}</h2>
          <p>{t.startHint}</p>
        </div>
      )}
    </div>
  );
}

/** START while the chat is empty or a link waits; nothing in a chat that is not there; else the composer. */
function Bottom({
  phone,
  view,
  payload,
}: {
  phone: PhoneState;
  view: View | null;
  payload: string | null | undefined;
}) {
  const { t } = useWords();
  const empty = view === null || view.messages.length === 0;
  if (phone.live.state === 'loading' || (phone.bot === null && view === null)) {
    return <div class="bottom" />;
  }
  if (phone.bot !== null && phone.blocked) {
    return (
      <div class="bottom">
        <p>{t.blocked}</p>
        <button type="button" class="start" onClick={() => void phone.setBlocked(false)}>
          {t.unblock}
        </button>
      </div>
    );
  }
  if (phone.bot !== null && (empty || payload !== undefined)) {
    return <StartBar hint={empty ? null : t.startAgain} start={() => phone.start(payload ?? null)} />;
  }
  return (
    <div class="bottom bottom-composer">
      {phone.tray && (
        <Tray sets={phone.sets} send={phone.sendSticker} open={(name) => phone.setBeside({ kind: 'set', name })} />
      )}
      <Composer
        commands={phone.bot === null ? [] : offered(view?.chat.commands, t)}
        replying={phone.replying}
        field={phone.field}
        trayOpen={phone.tray}
        dropReply={() => phone.setReplying(null)}
        toggleTray={() => phone.setTray(!phone.tray)}
        send={phone.send}
      />
    </div>
  );
}

function StartBar({ hint, start }: { hint: string | null; start: () => Promise<void> }) {
  const { t } = useWords();
  const [busy, setBusy] = useState(false);
  const press = async () => {
    if (busy) return;
    setBusy(true);
    await start();
    setBusy(false);
  };
  return (
    <div class="bottom">
      {hint !== null && <p>{hint}</p>}
      <button type="button" class="start" aria-busy={busy} onClick={() => void press()}>
        {t.start}
        {busy && <span class="spinner" aria-hidden="true" />}
      </button>
    </div>
  );
}

function BesidePhone(props: Props & { phone: PhoneState; sheet: boolean }) {
  const { phone } = props;
  return phone.beside?.kind === 'set' ? (
    <SetBeside phone={phone} sheet={props.sheet} name={phone.beside.name} />
  ) : (
    <MenuBeside {...props} />
  );
}

function SetBeside({ phone, sheet, name }: { phone: PhoneState; sheet: boolean; name: string }) {
  const { t } = useWords();
  const opened = useSet(name);
  const { title, count } = useSetWords(opened);
  const there = opened !== 'gone' && opened !== 'loading';
  const canSend = phone.live.state === 'open' && phone.live.view.messages.length > 0 && !phone.blocked;
  const close = () => phone.setBeside(null);
  const send = (index: number) => {
    phone.sendSticker(name, index);
    if (sheet) close();
  };
  return (
    <Side
      sheet={sheet}
      title={title}
      line={there && canSend ? `${count}. ${t.setHint}` : count}
      close={close}
      foot={there ? <AddButton added={phone.sets.includes(name)} toggle={() => phone.toggleSet(name)} /> : null}
    >
      <div class="set-field">
        <SetGrid opened={opened} send={canSend ? send : null} />
      </div>
    </Side>
  );
}

function MenuBeside(props: Props & { phone: PhoneState; sheet: boolean }) {
  const { t } = useWords();
  const { phone, person } = props;
  const go = (chat: Chat) => {
    phone.setBeside(null);
    props.go({ kind: 'chat', person: person.id, chat: chat.id, group: null });
  };
  return (
    <Side
      sheet={props.sheet}
      title={filled(t.phoneOf, { name: fullName(person) })}
      line={person.username ? `@${person.username}` : ''}
      close={phone.beside === null ? null : () => phone.setBeside(null)}
      foot={null}
    >
      <PhoneMenu
        person={person}
        chats={chatsOf(person, props.bots)}
        current={props.chat}
        theme={props.theme}
        blocked={phone.bot === null ? null : phone.blocked}
        go={go}
        setTheme={props.setTheme}
        setBlocked={(blocked) => void phone.setBlocked(blocked)}
        otherPhone={props.otherPhone}
      />
    </Side>
  );
}
