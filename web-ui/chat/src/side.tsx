/** What stands beside the phone on a wide window, and lies over it as a sheet on a narrow one. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CloseIcon } from './icons.tsx';
import { useWords } from './words.tsx';

/** The place beside the phone. A sheet takes the focus and gives it back; Escape closes either. */
export function Side(props: {
  sheet: boolean;
  title: string;
  line: string;
  close: (() => void) | null;
  foot: ComponentChildren;
  children: ComponentChildren;
}) {
  const { t } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusTaken(heading, props.close !== null);
  const close = props.close;
  return (
    <section
      class={props.sheet ? 'side sheet' : close === null ? 'side resting' : 'side'}
      role={props.sheet ? 'dialog' : 'region'}
      aria-modal={props.sheet ? true : undefined}
      aria-labelledby="side-title"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && close !== null) close();
      }}
    >
      <header class="side-head">
        <div>
          <h2 id="side-title" ref={heading} tabIndex={-1}>
            {props.title}
          </h2>
          <p>{props.line}</p>
        </div>
        {close !== null && (
          <button type="button" class="close" onClick={close}>
            {props.sheet ? t.close : <CloseIcon />}
            {!props.sheet && <span class="visually-hidden">{t.close}</span>}
          </button>
        )}
      </header>
      <div class="side-body">{props.children}</div>
      {props.foot !== null && <footer class="side-foot">{props.foot}</footer>}
    </section>
  );
}

/** Focus goes to the title of what was opened, and back to where it was when that closes. */
function useFocusTaken(heading: { current: HTMLElement | null }, opened: boolean): void {
  useEffect(() => {
    if (!opened) return undefined;
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [opened]);
}
