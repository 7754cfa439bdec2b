/** Draws a text with its entities. Markup never comes from the wire: every entity is a component of ours. */
import { useState } from 'preact/hooks';
import { type Span, plain, spans } from './entities.ts';
import { type Route, inside, safe } from './links.ts';
import type { Entity } from './types.ts';
import { useWords } from './words.tsx';

/** What a tap on something in a text does. */
export interface TextActions {
  /** Opens a bot or a set inside the page. */
  open: (route: Route) => void;
  /** Sends a command as if it had been typed. */
  command: (text: string) => void;
}

/** A message's text. */
export function Formatted({ text, entities, actions }: { text: string; entities: Entity[]; actions: TextActions }) {
  return <Spans of={spans(text, entities)} actions={actions} />;
}

function Spans({ of, actions }: { of: Span[]; actions: TextActions }) {
  return (
    <>
      {of.map((span, at) =>
        typeof span === 'string' ? afterBlock(span, of[at - 1]) : <Marked key={at} span={span} actions={actions} />,
      )}
    </>
  );
}

/** A block ends its own line, so the line break behind it is not drawn a second time. */
function afterBlock(text: string, before: Span | undefined): string {
  const blocks = ['pre', 'blockquote', 'expandable_blockquote'];
  const block = before !== undefined && typeof before !== 'string' && blocks.includes(before.entity.type);
  return block && text.startsWith('\n') ? text.slice(1) : text;
}

function Marked({ span, actions }: { span: Exclude<Span, string>; actions: TextActions }) {
  const children = <Spans of={span.inside} actions={actions} />;
  switch (span.entity.type) {
    case 'bold':
      return <b>{children}</b>;
    case 'italic':
      return <i>{children}</i>;
    case 'underline':
      return <u>{children}</u>;
    case 'strikethrough':
      return <s>{children}</s>;
    case 'code':
      return <code>{children}</code>;
    case 'pre':
      return <pre data-language={span.entity.language}>{children}</pre>;
    case 'blockquote':
    case 'expandable_blockquote':
      return <blockquote>{children}</blockquote>;
    case 'spoiler':
      return <Spoiler span={span} actions={actions} />;
    case 'bot_command':
      return (
        <button type="button" class="in-text" onClick={() => actions.command(plain(span))}>
          {children}
        </button>
      );
    case 'url':
      return <TextLink to={span.text} span={span} actions={actions} />;
    case 'text_link':
      return <TextLink to={span.entity.url ?? ''} span={span} actions={actions} />;
    case 'email':
      return <TextLink to={`mailto:${span.text}`} span={span} actions={actions} />;
    case 'phone_number':
      return <TextLink to={`tel:${span.text.replace(/[^+\d]/g, '')}`} span={span} actions={actions} />;
    case 'mention':
    case 'text_mention':
    case 'hashtag':
    case 'cashtag':
      return <span class="tag">{children}</span>;
    default:
      return children;
  }
}

/** A link is followed inside the page where the page can show what it means, else in a new tab. */
function TextLink({ to, span, actions }: { to: string; span: Exclude<Span, string>; actions: TextActions }) {
  const here = new URL(window.location.href);
  const address = safe(to, here);
  const within = inside(to, here);
  const children = <Spans of={span.inside} actions={actions} />;
  if (address === null) {
    return children;
  }
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      onClick={(event) => {
        if (within !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
          event.preventDefault();
          actions.open(within);
        }
      }}
    >
      {children}
    </a>
  );
}

function Spoiler({ span, actions }: { span: Exclude<Span, string>; actions: TextActions }) {
  const { t } = useWords();
  const [shown, setShown] = useState(false);
  if (shown) {
    return (
      <span class="spoiler-shown">
        <Spans of={span.inside} actions={actions} />
      </span>
    );
  }
  return (
    <button type="button" class="spoiler" aria-label={t.spoiler} onClick={() => setShown(true)}>
      <span aria-hidden="true">{span.text}</span>
    </button>
  );
}
