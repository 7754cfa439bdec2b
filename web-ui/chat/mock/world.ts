/** The mock's memory: one bot, a few people, one group, one set, and a bot that answers at once. */
import type { Bot, Message, Notice, Person, Place, StickerSet, View } from '../src/types.ts';

/** The bot of the mock. */
export const BOT: Bot = { id: 700001, username: 'stickers_sim_bot', first_name: 'Стикеры Navroʻz Fest' };

/** The group of the mock. */
export const GROUP = { id: -100500, type: 'supergroup', title: 'Заявки · Стикерная' };

/** A person looking at a chat. */
export interface Where {
  person: number;
  chat: number;
}

const SET = 'madina_by_stickers_sim_bot';
const EMOJI = ['👋', '😂', '😍', '👍', '🤔', '😴', '😡', '🥳', '🙏'];
const BOT_SENDER = { id: BOT.id, name: BOT.first_name, is_bot: true };

const CONSENT =
  'Привет, Мадина! Сделаем стикеры из твоего селфи. Фото нужно только для набора: удалим сразу после него, самое позднее через 72 часа. Если тебе нет 18, спроси родителей. Передумаешь — /forget_me.';

/** See the module. */
export class MockWorld {
  readonly people: Person[] = [
    { id: 1001, first_name: 'Мадина', username: 'madina_n', language_code: 'ru', chats: [] },
    { id: 1002, first_name: 'Jasur', last_name: 'Toʻrayev', language_code: 'uz', chats: [] },
    { id: 1003, first_name: 'Emma', username: 'emma', language_code: 'en', chats: [] },
    { id: 1004, first_name: 'Азиз', username: 'aziz_toy', language_code: 'ru', chats: [{ ...GROUP }] },
  ];
  private readonly chats = new Map<string, Message[]>();
  private readonly notices = new Map<number, Notice>();
  private readonly blocked = new Set<number>();
  private readonly listeners = new Set<() => void>();
  private revision = 1;
  private nextId = 1;
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  onChange(tell: () => void): () => void {
    this.listeners.add(tell);
    return () => this.listeners.delete(tell);
  }

  refusal(where: Where): { error: string; message: string } | null {
    if (!this.people.some((person) => person.id === where.person)) {
      return { error: 'unknown_person', message: 'no such person' };
    }
    return where.chat === GROUP.id || this.chats.has(this.key(where))
      ? null
      : { error: 'unknown_chat', message: 'no such chat' };
  }

  view(where: Where): View {
    const person = this.people.find((one) => one.id === where.person) as Person;
    const bot = where.chat === BOT.id;
    const messages = this.messages(where).map((message) => ({
      ...message,
      from: { ...message.from, me: message.from.id === where.person },
    }));
    return {
      person,
      chat: bot
        ? { id: BOT.id, type: 'private', title: BOT.first_name, bot: true, members: 2 }
        : {
            ...GROUP,
            bot: false,
            members: 4,
            people: this.people
              .filter((one) => one.chats?.some((chat) => chat.id === GROUP.id))
              .map((one, at) => ({ id: one.id, name: one.first_name, admin: at === 0 })),
          },
      revision: this.revision,
      typing: false,
      blocked: this.blocked.has(where.person),
      messages,
      notice: this.notices.get(where.person) ?? null,
    };
  }

  addPerson(first_name: string, language_code: string): Person {
    const person: Person = { id: 2000 + this.people.length, first_name, language_code, chats: [] };
    this.people.push(person);
    return person;
  }

  set(name: string): StickerSet | null {
    if (name !== SET) return null;
    return {
      name,
      title: 'Набор Мадины',
      stickers: EMOJI.map((emoji, at) => ({ file: `sticker-${at}.png`, emoji, width: 512, height: 512 })),
    };
  }

  /** A person writes; the bot answers what the story needs. */
  said(where: Where, text: string, reply_to?: number): void {
    const quoted = this.messages(where).find((message) => message.id === reply_to);
    this.add(where, {
      from: this.me(where),
      text,
      entities: text.startsWith('/')
        ? [{ type: 'bot_command', offset: 0, length: text.split(' ')[0]?.length ?? 0 }]
        : [],
      reply_to: quoted ? { id: quoted.id, name: quoted.from.name, text: quoted.text ?? '' } : null,
    });
    if (where.chat !== BOT.id) return;
    if (text.startsWith('/start')) {
      this.add(where, {
        text: CONSENT,
        entities: [{ type: 'bot_command', offset: CONSENT.indexOf('/forget_me'), length: 10 }],
        buttons: [[{ text: '✅ Согласен', callback: true }]],
      });
    } else {
      this.add(where, {
        text: 'Твой набор готов!',
        buttons: [[{ text: 'Открыть набор', url: `/addstickers/${SET}` }]],
      });
    }
  }

  press(where: Where, id: number, place: Place): void {
    this.edit(where, id, { pressed: place });
    setTimeout(() => {
      this.notices.set(where.person, { text: 'Записали', at: this.now(), alert: place.col === 2 });
      this.edit(where, id, { pressed: null, edited: true, buttons: where.chat === BOT.id ? null : undefined });
    }, 1500);
  }

  sticker(where: Where, set: string, index: number): void {
    this.add(where, { from: this.me(where), sticker: this.stickerOf(index, set) });
  }

  block(where: Where, blocked: boolean): void {
    if (blocked) this.blocked.add(where.person);
    else this.blocked.delete(where.person);
    this.changed();
  }

  add(where: Where, message: Partial<Message>): Message {
    const full: Message = { id: this.nextId++, from: BOT_SENDER, date: this.now(), text: null, ...message };
    this.messages(where).push(full);
    const person = this.people.find((one) => one.id === where.person);
    if (where.chat === BOT.id && person?.chats?.length === 0) {
      person.chats.push({ id: BOT.id, type: 'private', title: BOT.first_name });
    }
    this.changed();
    return full;
  }

  edit(where: Where, id: number, change: Partial<Message>): void {
    const list = this.messages(where);
    const at = list.findIndex((message) => message.id === id);
    const before = list[at];
    if (before === undefined) return;
    const kept = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    list[at] = { ...before, ...kept };
    this.changed();
  }

  demo(pictures: boolean): Record<string, unknown> {
    return {
      kiosk_url: '/kiosk',
      guest_url: '/chat',
      group_url: `/chat?group=${GROUP.id}`,
      admin_url: null,
      landing_url: null,
      data_dir: '/home/guest/sticker-demo',
      version: '0.1.0',
      stickers: pictures ? EMOJI.map((_, at) => `/sim/files/sticker-${at}.png`) : [],
    };
  }

  /** The chats of the sheets. */
  tellStory(): void {
    const guest = { person: 1001, chat: BOT.id };
    this.add(guest, {
      from: this.me(guest),
      text: '/start',
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
    });
    this.add(guest, {
      text: CONSENT,
      entities: [{ type: 'bot_command', offset: CONSENT.indexOf('/forget_me'), length: 10 }],
      buttons: [[{ text: '✅ Согласен', callback: true }]],
    });
    this.add(guest, { text: 'Теперь выбери наряд на планшете.' });
    this.add(guest, { text: 'Фото у нас. Твоё место в очереди: 3, ждать около 4 минут.' });
    this.add(guest, { sticker: this.stickerOf(2, SET) });
    this.add(guest, { text: 'Твой набор готов!', buttons: [[{ text: 'Открыть набор', url: `/addstickers/${SET}` }]] });
    this.tellGroupStory();
  }

  private tellGroupStory(): void {
    const group = { person: 1004, chat: GROUP.id };
    const card =
      '#stickers_214 · 🆕 Новая\nАзиз · @aziz_toy\n+998 90 123 45 67\n14 декабря · около 150 гостей\nСвадьба, хотим наряды в цветах зала\n\n🔁 Повторное обращение: 29.11 21:20\nГостей: 180';
    this.add(group, { service: 'Стикеры Navroʻz Fest в группе', text: null });
    this.add(group, {
      text: '☀️ Стикеры за сутки (28.11 10:00 — 29.11 10:00)\nНовых заявок: 3\nБез статуса: 1 — #stickers_213\nПаков сгенерировано: 128',
    });
    this.add(group, {
      text: card,
      entities: [
        { type: 'bold', offset: 0, length: card.indexOf('\n') },
        { type: 'phone_number', offset: card.indexOf('+998'), length: 17 },
      ],
      buttons: [
        [
          { text: '🛠 В работе', callback: true },
          { text: '📞 Связались', callback: true },
          { text: '🤝 Сделка', callback: true },
        ],
        [
          { text: '✖️ Отказ', callback: true },
          { text: '🗑 Спам', callback: true },
        ],
      ],
    });
    this.add(group, { text: '⏰ #stickers_213 без статуса уже 2 ч — кто возьмёт?' });
  }

  private stickerOf(index: number, set: string) {
    return { file: `sticker-${index}.png`, emoji: EMOJI[index] ?? '🙂', set_name: set, width: 512, height: 512 };
  }

  private me(where: Where) {
    const person = this.people.find((one) => one.id === where.person);
    return { id: where.person, name: person?.first_name ?? '?', is_bot: false };
  }

  private key(where: Where): string {
    return where.chat === GROUP.id ? String(GROUP.id) : `${where.person}:${where.chat}`;
  }

  private messages(where: Where): Message[] {
    const key = this.key(where);
    const list = this.chats.get(key) ?? [];
    this.chats.set(key, list);
    return list;
  }

  private changed(): void {
    this.revision += 1;
    for (const tell of this.listeners) tell();
  }
}
