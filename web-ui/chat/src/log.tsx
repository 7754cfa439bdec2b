/**
 * The messages in order, with a separator for each day. The newest stays in sight unless the reader scrolled up; then a
 * button counts what came meanwhile. One's own message always brings the reader down.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DownIcon } from './icons.tsx';
import { type MessageActions, MessageItem } from './message.tsx';
import { day, dayName } from './time.ts';
import type { Message, Place } from './types.ts';
import { useWords } from './words.tsx';

/** Nearer to the end than this counts as reading the newest. */
const NEAR_PX = 80;

/** A button that was pressed here and of which the server has not spoken yet. */
export interface Pending extends Place {
  message: number;
}

/** The log of one chat. */
export function Log(props: {
  messages: Message[];
  group: boolean;
  pending: Pending | null;
  typing: boolean;
  actions: MessageActions;
}) {
  const { t } = useWords();
  const follow = useFollow(props.messages);
  return (
    <div class="field">
      <div
        class="log"
        ref={follow.box}
        onScroll={follow.scrolled}
        role="log"
        aria-live="polite"
        aria-relevant="additions text"
        aria-label={t.messages}
        tabIndex={0}
      >
        <div class="log-inside" ref={follow.content}>
          <Items {...props} />
          {props.typing && (
            <p class="typing-bubble" aria-hidden="true">
              <Dots />
            </p>
          )}
        </div>
      </div>
      {follow.away && (
        <button type="button" class="down" onClick={follow.down} aria-label={t.newBelow} title={t.newBelow}>
          <DownIcon />
          {follow.missed > 0 && <span class="down-count">{follow.missed}</span>}
        </button>
      )}
    </div>
  );
}

/** Three dots that move while somebody types. */
export function Dots() {
  return (
    <span class="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

function Items({ messages, group, pending, actions }: Parameters<typeof Log>[0]) {
  return (
    <>
      {messages.map((message, at) => {
        const before = messages[at - 1];
        const newDay = before === undefined || day(before.date, undefined) !== day(message.date, undefined);
        const named = group && message.from.me !== true && (newDay || before.from.id !== message.from.id);
        const pressed = pending?.message === message.id ? pending : (message.pressed ?? null);
        return (
          <div class="item" key={message.id}>
            {newDay && <DaySeparator date={message.date} />}
            <MessageItem
              message={message}
              named={named}
              quoted={messages.find((one) => one.id === message.reply_to?.id)}
              pressed={pressed}
              actions={actions}
            />
          </div>
        );
      })}
    </>
  );
}

function DaySeparator({ date }: { date: number }) {
  const { t, language } = useWords();
  return (
    <p class="pill day">
      {dayName(date, Date.now() / 1000, language, { today: t.today, yesterday: t.yesterday }, undefined)}
    </p>
  );
}

/** The rules of scrolling. */
function useFollow(messages: readonly Message[]) {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const newest = messages.at(-1);
  const seen = useRef(newest?.id ?? 0);
  const [away, setAway] = useState(false);
  const [missed, setMissed] = useState(0);

  const down = () => {
    following.current = true;
    setAway(false);
    setMissed(0);
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };

  const scrolled = () => {
    const element = box.current;
    if (element === null) return;
    following.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    setAway(!following.current);
    if (following.current) setMissed(0);
  };

  useLayoutEffect(() => {
    const fresh = messages.filter((message) => message.id > seen.current);
    seen.current = Math.max(seen.current, newest?.id ?? 0);
    if (following.current || fresh.some((message) => message.from.me === true)) {
      down();
    } else if (fresh.length > 0) {
      setMissed((count) => count + fresh.length);
    }
  }, [messages, newest?.id]);

  // Pictures that load and a keyboard that opens change the height without a new message.
  useEffect(() => {
    const watcher = new ResizeObserver(() => {
      if (following.current) box.current?.scrollTo({ top: box.current.scrollHeight });
    });
    if (box.current !== null) watcher.observe(box.current);
    if (content.current !== null) watcher.observe(content.current);
    return () => watcher.disconnect();
  }, []);

  return { box, content, away, missed, down, scrolled };
}
