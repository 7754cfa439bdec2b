/** A pretended house for the pictures: sessions that are moved by hand, faces that answer as told, a break switch. */
import { randomUUID } from 'node:crypto';

/** A session as the kiosk reads it. */
export interface MockSession {
  token: string;
  status: string;
  template_id: string | null;
  closed_reason: string | null;
  notice: string | null;
  first_name: string | null;
  language: string | null;
  pack_link: string | null;
  job: { status: string; position: number | null; eta_seconds: number | null } | null;
}

/** What the pictures may set. */
export interface Mood {
  face: { ok: boolean; hint: string | null } | null;
  maintenance: string | null;
  refusePhoto: { status: number; error: string } | null;
  outfits: number;
  version: string;
  /** Base of the QR's link; one of this computer makes it a demo. */
  link: string;
  /** The upload is answered only after so long. */
  uploadMs: number;
}

type Hear = (session: MockSession) => void;

/** Sessions, who listens to them, and the mood of the house. */
export class House {
  readonly sessions = new Map<string, MockSession>();
  readonly mood: Mood = {
    face: { ok: true, hint: null },
    maintenance: null,
    refusePhoto: null,
    outfits: 6,
    version: '0.4.1',
    link: 'https://t.me',
    uploadMs: 0,
  };
  private readonly hearers = new Map<string, Set<Hear>>();

  /** A fresh session. */
  open(): MockSession {
    const session: MockSession = {
      token: randomUUID().replaceAll('-', ''),
      status: 'idle',
      template_id: null,
      closed_reason: null,
      notice: null,
      first_name: null,
      language: null,
      pack_link: null,
      job: null,
    };
    this.sessions.set(session.token, session);
    return session;
  }

  /** The session that was opened last. */
  last(): MockSession | undefined {
    return [...this.sessions.values()].at(-1);
  }

  /** Moves a session and tells whoever listens. */
  move(session: MockSession, change: Partial<MockSession>): void {
    Object.assign(session, change);
    for (const hear of this.hearers.get(session.token) ?? []) hear(session);
  }

  /** Listens to a session; answers the way to stop. */
  listen(token: string, hear: Hear): () => void {
    const set = this.hearers.get(token) ?? new Set();
    this.hearers.set(token, set.add(hear));
    return () => set.delete(hear);
  }
}

const names: [string, string, string, string][] = [
  ['chapan', 'Чапан и дуппи', 'Chopon va doʻppi', 'Chapan and doppi'],
  ['astronaut', 'Космонавт', 'Kosmonavt', 'Astronaut'],
  ['hero', 'Супергерой', 'Superqahramon', 'Superhero'],
  ['chef', 'Шеф-повар', 'Oshpaz', 'Chef'],
  ['football', 'Футболист', 'Futbolchi', 'Footballer'],
  ['hoodie', 'Худи', 'Xudi', 'Hoodie'],
  ['doctor', 'Врач', 'Shifokor', 'Doctor'],
];

/** So many outfits. */
export function outfits(count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const [id, ru, uz, en] = names[index % names.length] ?? ['chapan', '', '', ''];
    const unique = index < names.length ? id : `${id}-${index}`;
    return { id: unique, titles: { ru, uz, en }, preview_url: `/templates/${unique}/stickers/0.webp`, stickers: 9 };
  });
}

const inks = ['#17688c', '#e8ecf5', '#3b55c4', '#f4f6fb', '#1f9d63', '#ff7a4d', '#7fc6d8'];
const mouths = ['M-26 20q26 26 52 0', 'M-30 14q30 46 60 0z', 'M-26 20q26 26 52 0', 'M-26 20q30 22 50-6', 'M-16 26h32', 'M-10 24q10 8 20 0', 'M-24 32q24-22 48 0', 'M-30 14q30 46 60 0z', 'M-26 20q26 26 52 0'];

/** A drawn sticker, for when no rendered ones are at hand. */
export function drawnSticker(id: string, index: number): string {
  const at = Math.max(0, names.findIndex(([name]) => id.startsWith(name)));
  const body = inks[at % inks.length] ?? '#17688c';
  const mouth = mouths[index % mouths.length] ?? '';
  const tilt = (index % 3) * 6 - 6;
  const figure = `<path d="M150 500q0-130 106-130t106 130z" fill="${body}"/><g transform="translate(256 220) rotate(${tilt})"><circle r="120" fill="#f3c9a5"/><path d="M-120-10q0-125 120-125t120 125q-60-70-120-60t-120 60z" fill="#4a2f2a"/><circle cx="-42" cy="-8" r="13" fill="#2b1826"/><circle cx="42" cy="-8" r="13" fill="#2b1826"/><path d="${mouth}" transform="translate(0 20)" fill="#c81e4a" stroke-width="9"/></g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 512 512"><g stroke="#fff" stroke-width="38" stroke-linejoin="round" fill="none">${figure}</g><g stroke="#2b1826" stroke-width="10" stroke-linejoin="round" stroke-linecap="round">${figure}</g></svg>`;
}
