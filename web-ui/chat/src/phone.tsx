/** One phone with one chat open: head, log, and at the bottom either START or the composer. */
import { Avatar } from './avatar.tsx';
import { BesidePhone } from './beside.tsx';
import { Bottom } from './bottom.tsx';
import { MenuIcon } from './icons.tsx';
import type { Live } from './live.ts';
import { Dots, Log } from './log.tsx';
import { NoticeView } from './notice.tsx';
import { plural } from './texts.ts';
import type { Bot } from './types.ts';
import { type PhoneProps, type PhoneState, usePhone } from './use-phone.ts';
import { useWords } from './words.tsx';

/** The page of one person and one chat. On a wide window a guest's phone always has something beside it. */
export function Phone(props: PhoneProps) {
  const phone = usePhone(props);
  const { live, beside, wide, bot } = phone;
  const group = bot === null;
  const sheet = !wide && beside !== null;
  const resting = wide && !group && beside === null;
  return (
    <div
      data-screen="phone"
      class={`desk ${group ? 'desk-group' : 'desk-private'} ${beside !== null || resting ? 'desk-beside' : ''}`}
    >
      <main class="phone" inert={sheet}>
        <Head live={live} bot={bot} openMenu={resting ? null : () => phone.setBeside({ kind: 'menu' })} />
        {live.state !== 'nobody' && !live.online && <OfflineChip />}
        <Middle phone={phone} />
        <Bottom phone={phone} payload={props.payload} choose={props.choose} />
        <NoticeView notice={phone.notice.shown} close={phone.notice.close} />
      </main>
      {(beside !== null || resting) && <BesidePhone {...props} phone={phone} sheet={sheet} />}
    </div>
  );
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

function Middle({ phone }: { phone: PhoneState }) {
  const { t } = useWords();
  const { view, bot, live } = phone;
  if (view !== null && view.messages.length > 0) {
    return (
      <Log
        messages={view.messages}
        group={bot === null}
        pending={phone.pending}
        typing={view.typing === true}
        actions={phone.actions}
      />
    );
  }
  if (live.state === 'loading') {
    return (
      <div class="field field-empty">
        <p class="pill">{t.loading}</p>
      </div>
    );
  }
  return (
    <div class="field field-empty">
      {bot !== null && (
        <div class="intro">
          <Avatar id={bot.id} name={bot.first_name} bot />
          <h2>{bot.first_name}</h2>
          <p>{t.startHint}</p>
        </div>
      )}
      {bot === null && view === null && (
        <div class="intro">
          <h2>{t.noChat}</h2>
          <p>{t.noChatHint}</p>
        </div>
      )}
    </div>
  );
}
