/** One message: who, what it answers, its content, its time and its buttons. */
import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from './api.ts';
import { tintOf } from './avatar.tsx';
import { Formatted, type TextActions } from './formatted.tsx';
import { gist } from './gist.ts';
import { FileIcon, ReplyIcon } from './icons.tsx';
import { Keyboard } from './keyboard.tsx';
import { clock, fileSize } from './time.ts';
import type { Message, MessageDocument, MessageSticker, Place, Quote } from './types.ts';
import { useWords } from './words.tsx';

/** What can be done with a message. */
export interface MessageActions extends TextActions {
  press: (message: Message, place: Place) => void;
  reply: (message: Message) => void;
  openSet: (name: string) => void;
}

/** A message in the log. `named` shows the sender, `quoted` is what it answers, `pressed` the button that waits for the bot. */
export function MessageItem(props: {
  message: Message;
  named: boolean;
  quoted: Message | undefined;
  pressed: Place | null;
  actions: MessageActions;
}) {
  const { message, named, pressed, actions } = props;
  const changed = useChanged(message);
  if (message.service !== null && message.service !== undefined) {
    return <p class="pill">{message.service}</p>;
  }
  const bare = message.sticker !== null && message.sticker !== undefined;
  const classes = ['message', message.from.me === true ? 'own' : '', bare ? 'bare' : '', changed ? 'changed' : ''];
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      id={`message-${message.id}`}
      data-from={message.from.me === true ? 'me' : 'other'}
    >
      <div class="message-line">
        <div class="bubble">
          {named && <p class={`sender tint-${tintOf(message.from.id)}`}>{message.from.name}</p>}
          {!named && <span class="visually-hidden">{message.from.name}: </span>}
          {message.topic && <p class="topic"># {message.topic}</p>}
          {message.reply_to && <Quoted quote={message.reply_to} message={props.quoted} />}
          <Content message={message} actions={actions} />
          <Meta message={message} />
        </div>
        <ReplyButton message={message} reply={actions.reply} />
      </div>
      {message.buttons && message.buttons.length > 0 && (
        <Keyboard
          rows={message.buttons}
          pressed={pressed}
          press={(place) => actions.press(message, place)}
          open={actions.open}
        />
      )}
    </article>
  );
}

/** True for the moment in which an edited message is tinted; the sheet's animation ends it. */
function useChanged(message: Message): boolean {
  const content = JSON.stringify([message.text, message.entities, message.buttons, message.document?.file]);
  const seen = useRef(content);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (seen.current === content) return undefined;
    seen.current = content;
    setChanged(true);
    const timer = window.setTimeout(() => setChanged(false), 600);
    return () => window.clearTimeout(timer);
  }, [content]);
  return changed;
}

function ReplyButton({ message, reply }: { message: Message; reply: (message: Message) => void }) {
  const { t } = useWords();
  return (
    <button type="button" class="reply-button" aria-label={t.reply} title={t.reply} onClick={() => reply(message)}>
      <ReplyIcon />
    </button>
  );
}

/** The quote of a message. What the page still has of that message is told in the page's own words. */
function Quoted({ quote, message }: { quote: Quote; message: Message | undefined }) {
  const { t } = useWords();
  const jump = () => {
    const target = document.getElementById(`message-${quote.id}`);
    target?.scrollIntoView({ block: 'center', behavior: 'auto' });
    target?.classList.remove('pointed');
    window.requestAnimationFrame(() => target?.classList.add('pointed'));
  };
  return (
    <button type="button" class="quote" onClick={jump}>
      <b>{quote.name}</b>
      <span>{message === undefined ? quote.text : gist(message, t)}</span>
    </button>
  );
}

function Content({ message, actions }: { message: Message; actions: MessageActions }) {
  const { t } = useWords();
  return (
    <>
      {message.sticker && <Sticker sticker={message.sticker} openSet={actions.openSet} />}
      {message.photo && <img class="photo" src={api.fileAddress(message.photo.file)} alt={t.photo} />}
      {message.document && <DocumentRow document={message.document} />}
      {message.text && (
        <div class="text">
          <Formatted text={message.text} entities={message.entities ?? []} actions={actions} />
        </div>
      )}
    </>
  );
}

function Meta({ message }: { message: Message }) {
  const { t } = useWords();
  return (
    <span class="meta">
      {message.edited === true && `${t.edited} `}
      <time dateTime={new Date(message.date * 1000).toISOString()}>{clock(message.date, undefined)}</time>
    </span>
  );
}

function Sticker({ sticker, openSet }: { sticker: MessageSticker; openSet: (name: string) => void }) {
  const { t } = useWords();
  const name = sticker.set_name;
  const label = `${t.sticker} ${sticker.emoji ?? ''}`.trim();
  const picture = <img src={api.fileAddress(sticker.file)} width={sticker.width} height={sticker.height} alt={label} />;
  if (name === null || name === undefined) {
    return <span class="sticker">{picture}</span>;
  }
  return (
    <button type="button" class="sticker" title={t.set} onClick={() => openSet(name)}>
      {picture}
    </button>
  );
}

function DocumentRow({ document }: { document: MessageDocument }) {
  const { t, language } = useWords();
  const name = document.name ?? t.file;
  return (
    <a class="document" href={api.fileAddress(document.file)} download={name}>
      <span class="document-icon">
        <FileIcon />
      </span>
      <span class="document-words">
        <b>{name}</b>
        <span>
          {fileSize(document.size, language)} · {t.download}
        </span>
      </span>
    </a>
  );
}
