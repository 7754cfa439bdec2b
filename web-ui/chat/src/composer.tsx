/** Where a message is written: Enter sends, Shift+Enter breaks the line, a slash offers the commands. */
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { hints, written } from './commands.ts';
import { gist } from './gist.ts';
import { CloseIcon, SendIcon, SlashIcon, StickerIcon } from './icons.tsx';
import { filled } from './texts.ts';
import type { Command, Message } from './types.ts';
import { useWords } from './words.tsx';

/** The Bot API takes no longer texts, and a phone sends none. */
const TEXT_MAX = 4096;

interface Props {
  commands: Command[];
  replying: Message | null;
  field: RefObject<HTMLTextAreaElement | null>;
  trayOpen: boolean;
  /** What stands left of the line. */
  before: ComponentChildren;
  dropReply: () => void;
  toggleTray: () => void;
  /** Tells whether the text was sent; a text that was not comes back into the field. */
  send: (text: string) => Promise<boolean>;
}

/** The line at the bottom of the chat. */
export function Composer(props: Props) {
  const { t } = useWords();
  const { draft, offers, chosen, change, send, keyDown } = useDraft(props);
  useGrowing(props.field, draft);

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send(draft);
      }}
    >
      {offers.length > 0 && <Offers offers={offers} chosen={chosen} take={send} />}
      {props.replying !== null && <Replying message={props.replying} drop={props.dropReply} />}
      <div class="composer-line">
        {props.before}
        <div class="composer-pill">
          <textarea
            ref={props.field}
            rows={1}
            maxLength={TEXT_MAX}
            value={draft}
            placeholder={t.message}
            aria-label={t.message}
            aria-autocomplete="list"
            aria-controls={offers.length > 0 ? 'command-offers' : undefined}
            aria-activedescendant={offers.length > 0 ? `command-${chosen}` : undefined}
            enterkeyhint="send"
            onInput={(event) => change(event.currentTarget.value)}
            onKeyDown={keyDown}
          />
          <Tools {...props} showCommands={draft === ''} askCommands={() => change('/')} />
        </div>
        <button
          type="submit"
          class="round send"
          data-action="send"
          aria-label={t.send}
          title={t.send}
          aria-disabled={draft.trim() === ''}
        >
          <SendIcon />
        </button>
      </div>
    </form>
  );
}

/** What is being typed, which commands fit it, and what the keys do. */
function useDraft(props: Props) {
  const [draft, setDraft] = useState('');
  const [chosen, setChosen] = useState(0);
  const [closed, setClosed] = useState(false);
  const offers = closed ? [] : hints(draft, props.commands);
  const command = written(offers[chosen]);

  const change = (text: string) => {
    setDraft(text);
    setChosen(0);
    setClosed(false);
  };
  const send = (text: string) => {
    if (text.trim() === '') return;
    change('');
    props.field.current?.focus();
    void props.send(text.trim()).then((sent) => sent || setDraft((now) => (now === '' ? text : now)));
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const offering = offers.length > 0;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send(offering ? command : draft);
    } else if (offering && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      setChosen((chosen + (event.key === 'ArrowDown' ? 1 : offers.length - 1)) % offers.length);
    } else if (offering && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      change(command);
    } else if (event.key === 'Escape' && (offering || props.replying !== null)) {
      event.stopPropagation();
      if (offering) setClosed(true);
      else props.dropReply();
    }
  };
  return { draft, offers, chosen, change, send, keyDown };
}

function Tools(props: Props & { showCommands: boolean; askCommands: () => void }) {
  const { t } = useWords();
  return (
    <>
      {props.showCommands && props.commands.length > 0 && (
        <button
          type="button"
          class="tool"
          aria-label={t.commands}
          title={t.commands}
          onClick={() => {
            props.askCommands();
            props.field.current?.focus();
          }}
        >
          <SlashIcon />
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-label={t.stickers}
        title={t.stickers}
        aria-expanded={props.trayOpen}
        onClick={props.toggleTray}
      >
        <StickerIcon />
      </button>
    </>
  );
}

/** The list above the line; the field keeps the focus, as a list of suggestions does. */
function Offers({ offers, chosen, take }: { offers: Command[]; chosen: number; take: (text: string) => void }) {
  const { t } = useWords();
  return (
    <ul class="offers" id="command-offers" role="listbox" aria-label={t.commands}>
      {offers.map((offer, at) => (
        <li
          key={written(offer)}
          id={`command-${at}`}
          role="option"
          aria-selected={at === chosen}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => take(written(offer))}
        >
          <b>/{offer.command}</b> <span>{offer.description}</span>
        </li>
      ))}
    </ul>
  );
}

function Replying({ message, drop }: { message: Message; drop: () => void }) {
  const { t } = useWords();
  return (
    <div class="replying">
      <p>
        <b>{filled(t.replyTo, { name: message.from.name })}</b>
        <span>{gist(message, t)}</span>
      </p>
      <button type="button" class="tool" aria-label={t.dropReply} title={t.dropReply} onClick={drop}>
        <CloseIcon />
      </button>
    </div>
  );
}

/** The field grows with its text; the sheet sets where it stops. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, draft: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.setProperty('height', 'auto');
    element.style.setProperty('height', `${element.scrollHeight}px`);
  }, [field, draft]);
}
