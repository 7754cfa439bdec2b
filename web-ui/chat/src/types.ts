/** What the simulator's page API answers, spelled as it comes over the wire. */

export interface Chat {
  id: number;
  type: string;
  title: string;
}

export interface Person {
  id: number;
  first_name: string;
  last_name?: string | null;
  username?: string | null;
  language_code?: string | null;
  chats?: Chat[];
}

export interface Bot {
  id: number;
  username: string;
  first_name: string;
}

/** A marked stretch of a text: offsets and lengths count UTF-16 units, as the Bot API does. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

export interface Button {
  text: string;
  url?: string | null;
  callback?: boolean;
}

export interface Place {
  row: number;
  col: number;
}

export interface StickerPicture {
  file: string;
  emoji?: string | null;
  width: number;
  height: number;
}

export interface MessageSticker extends StickerPicture {
  set_name?: string | null;
}

export interface MessageDocument {
  name?: string | null;
  size: number;
  file: string;
  mime?: string | null;
}

export interface Sender {
  id: number;
  name: string;
  is_bot?: boolean;
  me?: boolean;
}

export interface Quote {
  id: number;
  name: string;
  text: string;
}

export interface Message {
  id: number;
  from: Sender;
  date: number;
  edited?: boolean;
  text?: string | null;
  entities?: Entity[] | null;
  reply_to?: Quote | null;
  buttons?: Button[][] | null;
  pressed?: Place | null;
  sticker?: MessageSticker | null;
  document?: MessageDocument | null;
  photo?: { file: string } | null;
  service?: string | null;
  /** Name of the forum's topic in which it stands. */
  topic?: string | null;
}

/** The text of the bot's last answer to a pressed button, for this person. */
export interface Notice {
  text: string;
  alert?: boolean;
  at: number;
}

export interface Command {
  command: string;
  description: string;
  /** In a group: whose command it is. */
  bot?: string;
}

/** A person in a group. */
export interface Member {
  id: number;
  name: string;
  admin?: boolean;
}

export interface View {
  person: Person;
  chat: Chat & {
    bot?: boolean;
    members?: number;
    commands?: Command[];
    people?: Member[];
    /** The supergroup that this group has become. */
    upgraded_to?: number | null;
  };
  revision: number;
  typing?: boolean;
  blocked?: boolean;
  /** The person writes as the group. */
  hidden?: boolean;
  messages: Message[];
  notice?: Notice | null;
}

export interface StickerSet {
  name: string;
  title: string;
  owner?: number;
  stickers: StickerPicture[];
}
