/** What the bot answers to a pressed button: a line that goes by itself, or an alert that waits for "OK". */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Notice } from './types.ts';
import { useWords } from './words.tsx';

/** How long a line stays: long enough to read 200 letters. */
const LINE_MS = 4_000;

/** The notice to show now. Those that were there when the chat was opened are old news. */
export function useNotice(given: Notice | null | undefined, ready: boolean) {
  const [shown, setShown] = useState<Notice | null>(null);
  const seen = useRef<string | null>(null);
  const key = given ? `${given.at}:${given.text}` : '';
  useEffect(() => {
    if (!ready) return;
    const first = seen.current === null;
    const changed = seen.current !== key;
    seen.current = key;
    if (!first && changed && given && given.text !== '') setShown(given);
  }, [key, ready]);
  return { shown, show: setShown, close: () => setShown(null) };
}

/** The notice over the chat. */
export function NoticeView({ notice, close }: { notice: Notice | null; close: () => void }) {
  useEffect(() => {
    if (notice === null || notice.alert === true) return undefined;
    const timer = window.setTimeout(close, LINE_MS);
    return () => window.clearTimeout(timer);
  }, [notice]);
  return (
    <>
      <div class="toast-place" role="status">
        {notice !== null && notice.alert !== true && <p class="toast">{notice.text}</p>}
      </div>
      {notice !== null && notice.alert === true && <Alert text={notice.text} close={close} />}
    </>
  );
}

function Alert({ text, close }: { text: string; close: () => void }) {
  const { t } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="alert" onClose={close} aria-labelledby="alert-text">
      <p id="alert-text">{text}</p>
      <form method="dialog">
        <button type="submit" class="main">
          {t.ok}
        </button>
      </form>
    </dialog>
  );
}
