/** What one phone knows and can do: the chat it shows, what is open beside it, and every act of its person. */
import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from './api.ts';
import * as kept from './kept.ts';
import type { Route } from './links.ts';
import { useLive } from './live.ts';
import type { Pending } from './log.tsx';
import type { MessageActions } from './message.tsx';
import { useNotice } from './notice.tsx';
import type { Bot, Message, Person, View } from './types.ts';
import { useWide } from './wide.ts';
import { useWords } from './words.tsx';

/** What the app gives to a phone. */
export interface PhoneProps {
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
  /** In a group: the tab becomes this member's. */
  choose: (person: number) => void;
  /** The group of the tab has another id from now on. */
  moved: (chat: number) => void;
  otherPhone: () => void;
  reload: () => void;
}

/** What is open beside the chat. */
export type Beside = { kind: 'set'; name: string } | { kind: 'menu' } | null;

/** Does something and tells whether it went well; the reader is told when it did not. */
type Attempt = (doing: Promise<unknown>) => Promise<boolean>;

/** Everything that the parts of a phone share. */
export type PhoneState = ReturnType<typeof usePhone>;

/** The state of a phone and the acts of its person. */
export function usePhone(props: PhoneProps) {
  const { person, chat, bots } = props;
  const where: api.Where = { person: person.id, chat };
  const wide = useWide();
  const [again, setAgain] = useState(0);
  const live = useLive(person.id, chat, again);
  const view = live.state === 'open' ? live.view : null;
  const notice = useNotice(view?.notice, view !== null);
  const attempt = useAttempt(notice.show);
  const [beside, setBeside] = useBeside(props.set);
  const [tray, setTray] = useState(false);
  const [replying, setReplying] = useState<Message | null>(null);
  const { pending, press } = usePressing(where, view, attempt);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    if (live.state === 'nobody') props.otherPhone();
  }, [live.state]);
  const successor = view?.chat.upgraded_to ?? null;
  useEffect(() => {
    if (successor !== null) props.moved(successor);
  }, [successor]);

  const send = async (text: string): Promise<boolean> => {
    const done = await attempt(api.send(where, text, replying?.id ?? null));
    if (done) setReplying(null);
    return done;
  };
  const start = async (payload: string | null): Promise<void> => {
    if (!(await attempt(api.start(person.id, chat, payload)))) return;
    setAgain((count) => count + 1);
    props.started();
    props.reload();
  };
  const openSet = (name: string) => setBeside({ kind: 'set', name });
  const actions: MessageActions = {
    open: (route) => (route.kind === 'set' ? openSet(route.name) : props.go(route)),
    openSet,
    command: (text) => void attempt(api.send(where, text, null)),
    reply: (message) => {
      setReplying(message);
      field.current?.focus();
    },
    press,
  };
  return {
    live,
    view,
    bot: bots.find((one) => one.id === chat) ?? null,
    blocked: view?.blocked ?? false,
    ...{ wide, beside, setBeside, tray, setTray, replying, setReplying, pending, field, notice, actions, send, start },
    ...useSets(person.id),
    sendSticker: (set: string, index: number) => void attempt(api.sendSticker(where, set, index)),
    setHidden: (hidden: boolean) => void attempt(api.hide(chat, person.id, hidden)),
    setBlocked: (blocked: boolean) => void attempt(api.block(person.id, chat, blocked)),
  };
}

function useAttempt(show: (notice: { text: string; at: number }) => void): Attempt {
  const { t } = useWords();
  return async (doing) => {
    try {
      await doing;
      return true;
    } catch {
      show({ text: t.failed, at: Date.now() });
      return false;
    }
  };
}

/** The address may open a set; after that the reader decides. */
function useBeside(set: string | null) {
  const [beside, setBeside] = useState<Beside>(null);
  useEffect(() => {
    if (set !== null) setBeside({ kind: 'set', name: set });
  }, [set]);
  return [beside, setBeside] as const;
}

/** A pressed button turns at once; the first view after the press carries what the server made of it. */
function usePressing(where: api.Where, view: View | null, attempt: Attempt) {
  const [pending, setPending] = useState<(Pending & { revision: number }) | null>(null);
  useEffect(() => {
    if (pending !== null && view !== null && view.revision > pending.revision) setPending(null);
  }, [view?.revision]);
  const press: MessageActions['press'] = async (message, place) => {
    setPending({ message: message.id, ...place, revision: view?.revision ?? 0 });
    const done = await attempt(api.press(where, message.id, place.row, place.col));
    if (!done) setPending(null);
  };
  return { pending, press };
}

/** The sets that the person added to the tray. */
function useSets(person: number) {
  const [sets, setSets] = useState(() => kept.sets(person));
  const toggleSet = (name: string) => {
    const next = sets.includes(name) ? sets.filter((one) => one !== name) : [...sets, name];
    kept.keepSets(person, next);
    setSets(next);
  };
  return { sets, toggleSet };
}
