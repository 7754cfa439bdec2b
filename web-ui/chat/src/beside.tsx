/** What is beside a phone: an opened set, else the phone's menu. */
import { PhoneMenu, chatsOf, fullName } from './menu.tsx';
import { AddButton, SetGrid, useSet, useSetWords } from './set.tsx';
import { Side } from './side.tsx';
import { filled } from './texts.ts';
import type { Chat } from './types.ts';
import type { PhoneProps, PhoneState } from './use-phone.ts';
import { useWords } from './words.tsx';

/** The place beside a phone. */
export function BesidePhone(props: PhoneProps & { phone: PhoneState; sheet: boolean }) {
  const { phone } = props;
  return phone.beside?.kind === 'set' ? (
    <SetBeside phone={phone} sheet={props.sheet} name={phone.beside.name} />
  ) : (
    <MenuBeside {...props} />
  );
}

function SetBeside({ phone, sheet, name }: { phone: PhoneState; sheet: boolean; name: string }) {
  const { t } = useWords();
  const opened = useSet(name);
  const { title, count } = useSetWords(opened);
  const there = opened !== 'gone' && opened !== 'loading';
  const canSend = phone.view !== null && phone.view.messages.length > 0 && !phone.blocked;
  const close = () => phone.setBeside(null);
  const send = (index: number) => {
    phone.sendSticker(name, index);
    if (sheet) close();
  };
  return (
    <Side
      sheet={sheet}
      title={title}
      line={there && canSend && !sheet ? `${count}. ${t.setHint}` : count}
      close={close}
      foot={there ? <AddButton added={phone.sets.includes(name)} toggle={() => phone.toggleSet(name)} /> : null}
    >
      <div class="set-field">
        <SetGrid opened={opened} send={canSend ? send : null} />
      </div>
    </Side>
  );
}

function MenuBeside(props: PhoneProps & { phone: PhoneState; sheet: boolean }) {
  const { t } = useWords();
  const { phone, person } = props;
  const go = (chat: Chat) => {
    phone.setBeside(null);
    props.go({ kind: 'chat', person: person.id, chat: chat.id, group: null });
  };
  const open: typeof phone.actions.open = (route) => {
    phone.setBeside(null);
    phone.actions.open(route);
  };
  return (
    <Side
      sheet={props.sheet}
      title={filled(t.phoneOf, { name: fullName(person) })}
      line={person.username ? `@${person.username}` : ''}
      close={phone.beside === null ? null : () => phone.setBeside(null)}
      foot={null}
    >
      <PhoneMenu
        person={person}
        chats={chatsOf(person, props.bots)}
        current={props.chat}
        theme={props.theme}
        blocked={phone.bot === null ? null : phone.blocked}
        go={go}
        open={open}
        setTheme={props.setTheme}
        setBlocked={phone.setBlocked}
        otherPhone={props.otherPhone}
      />
    </Side>
  );
}
