/** The foot of a phone: START, or the composer with the tray of stickers. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { offered } from './commands.ts';
import { Composer } from './composer.tsx';
import { Tray } from './set.tsx';
import type { PhoneState } from './use-phone.ts';
import { Who } from './who.tsx';
import { useWords } from './words.tsx';

/** START while the chat is empty or a link waits; nothing in a chat that is not there; else the composer. */
export function Bottom(props: {
  phone: PhoneState;
  payload: string | null | undefined;
  choose: (person: number) => void;
}) {
  const { phone, payload, choose } = props;
  const { t } = useWords();
  const { view, bot, live } = phone;
  const empty = view === null || view.messages.length === 0;
  if (live.state === 'loading' || (bot === null && view === null)) {
    return <div class="bottom" />;
  }
  if (bot !== null && (empty || payload !== undefined)) {
    return <StartBar hint={empty ? null : t.startAgain} start={() => phone.start(payload ?? null)} />;
  }
  if (bot !== null && phone.blocked) {
    return (
      <div class="bottom">
        <p>{t.blocked}</p>
        <button type="button" class="start" data-action="unblock" onClick={() => phone.setBlocked(false)}>
          {t.unblock}
        </button>
      </div>
    );
  }
  return (
    <div class="bottom bottom-composer">
      {phone.tray && (
        <Tray sets={phone.sets} send={phone.sendSticker} open={(name) => phone.setBeside({ kind: 'set', name })} />
      )}
      <Composer
        commands={bot === null ? (view?.chat.commands ?? []) : offered(view?.chat.commands, t)}
        replying={phone.replying}
        field={phone.field}
        trayOpen={phone.tray}
        before={bot === null && <GroupMember phone={phone} choose={choose} />}
        dropReply={() => phone.setReplying(null)}
        toggleTray={() => phone.setTray(!phone.tray)}
        send={phone.send}
      />
    </div>
  );
}

/** As whom the reader of a group writes. */
function GroupMember({ phone, choose }: { phone: PhoneState; choose: (person: number) => void }) {
  const { view } = phone;
  if (view === null) return null;
  return (
    <Who
      people={view.chat.people ?? []}
      me={view.person.id}
      hidden={view.hidden === true}
      choose={choose}
      hide={phone.setHidden}
    />
  );
}

/** The one button of a chat that has not begun: it has the focus, and a second tap while it works does nothing. */
function StartBar({ hint, start }: { hint: string | null; start: () => Promise<void> }) {
  const { t } = useWords();
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  const press = async () => {
    if (busy) return;
    setBusy(true);
    await start();
    setBusy(false);
  };
  return (
    <div class="bottom">
      {hint !== null && <p>{hint}</p>}
      <button
        ref={button}
        type="button"
        class="start"
        data-action="start"
        aria-busy={busy}
        onClick={() => void press()}
      >
        {t.start}
        {busy && <span class="spinner" aria-hidden="true" />}
      </button>
    </div>
  );
}
