/** The frame of every guest screen: the event's name (and the staff corner under it), the language, chips, the band. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { View } from '../view.ts';
import { LanguageSwitch } from './controls.tsx';
import { Mark, Sign } from './icons.tsx';
import { Sticker } from './sticker.tsx';
import { countTap } from './staff.ts';

/** Event's name left, languages right. */
export function Top({ view }: { view: View }) {
  const { state, send, t } = view;
  return (
    <header class="top">
      <StaffCorner onReset={() => send({ type: 'staff_tapped' })}>
        <Mark />
        <span>{state.config?.eventName ?? ''}</span>
      </StaffCorner>
      <LanguageSwitch
        chosen={state.language}
        name={t('say.language')}
        onChoose={(language) => send({ type: 'language_tapped', language })}
      />
    </header>
  );
}

/** Five taps in three seconds; looks like nothing and has no focus stop. */
function StaffCorner({ onReset, children }: { onReset: () => void; children: ComponentChildren }) {
  const taps = useRef<number[]>([]);
  return (
    <div
      class="brand"
      data-staff
      onPointerDown={(event) => {
        taps.current = countTap(taps.current, event.timeStamp);
        if (taps.current.length === 0) onReset();
      }}
    >
      {children}
    </div>
  );
}

interface SceneProps {
  picture: ComponentChildren;
  title: string;
  /** A small line above the title. */
  over?: ComponentChildren;
  children?: ComponentChildren;
  main?: ComponentChildren;
  out?: ComponentChildren;
}

/** A picture, one sentence, a line, one way on, one way out. */
export function Scene({ picture, title, over, children, main, out }: SceneProps) {
  return (
    <main class="scene">
      <div class="picture">{picture}</div>
      <div class="words">
        {over}
        <Title text={title} />
        {children}
      </div>
      {main === undefined ? null : <div class="main">{main}</div>}
      {out === undefined || out === null ? null : <div class="way-out">{out}</div>}
    </main>
  );
}

/** The sentence of the screen; it gets the focus, so that a screen reader says it. */
export function Title({ text, class: look = '' }: { text: string; class?: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  return (
    <h1 ref={title} class={look} tabIndex={-1}>
      {text}
    </h1>
  );
}

/** A short line on a white pill, with its sign. */
export function Pill({ children, look = '' }: { children: ComponentChildren; look?: string }) {
  return <p class={`pill ${look}`}>{children}</p>;
}

/** A refusal or a note that stands over a screen for a while. */
export function MessageChip({ view, look = '' }: { view: View; look?: string }) {
  const { state, t } = view;
  const message = state.message;
  return (
    <div class={`message ${look}`} role="alert">
      {message === null ? null : (
        <p class="pill bad" data-message={message.key}>
          <Sign />
          {t(message.key)}
        </p>
      )}
    </div>
  );
}

/** The network is gone, the guest's screen stays. */
export function NetworkChip({ view }: { view: View }) {
  return (
    <div class="network" role="status">
      {view.state.offlineSince === null ? null : (
        <p class="pill" data-chip="offline">
          <Sign />
          {view.t('off.chip')}
        </p>
      )}
    </div>
  );
}

/** A white disc that a sticker stands on. */
export function Disc({ url }: { url: string | null }) {
  return (
    <div class="disc">
      {url === null ? <Mark /> : <Sticker url={url} />}
    </div>
  );
}
