/** Reads addresses: what this page itself was opened for, and what a link inside a chat leads to. */

import type { Bot, Person } from './types.ts';

/** The names that a computer has for itself. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What the address of the page asks for. */
export type Route =
  | { kind: 'start'; bot: string; payload: string | null }
  | { kind: 'chat'; person: number | null; chat: number | null; group: number | null }
  | { kind: 'set'; name: string };

/** Start payloads are 1 to 64 letters, digits, `_` and `-`; anything else is no payload. */
const PAYLOAD = /^[A-Za-z0-9_-]{1,64}$/;

/** What every bot is called: other first steps of a path on our own address are files or other pages. */
const BOT_NAME = /^[a-z][a-z0-9_]{1,28}bot$/i;

/** Hosts whose links mean a bot or a sticker set, besides the simulator's own. */
const KNOWN_HOSTS = new Set(['t.me', 'telegram.me', 'telegram.dog']);

/** The route of an address of this page: every path has a meaning, an unknown one is taken for a bot's name. */
export function route(address: URL): Route {
  const parts = address.pathname.split('/').filter((part) => part !== '');
  const query = address.searchParams;
  if (parts[0] === 'addstickers' && parts[1] !== undefined) {
    return { kind: 'set', name: unescaped(parts[1]) };
  }
  if (parts[0] === undefined || parts[0] === 'chat') {
    return {
      kind: 'chat',
      person: whole(query.get('person')),
      chat: whole(query.get('chat')),
      group: whole(query.get('group')),
    };
  }
  const payload = query.get('start');
  return {
    kind: 'start',
    bot: unescaped(parts[0]).replace(/^@/, ''),
    payload: payload !== null && PAYLOAD.test(payload) ? payload : null,
  };
}

/** What a link in a message or on a button opens inside the page; `null` for a link that leads out. */
export function inside(link: string, here: URL): Route | null {
  const address = parsed(link, here);
  if (address === null) {
    return null;
  }
  if (!isHere(address, here) && !KNOWN_HOSTS.has(address.hostname)) {
    return null;
  }
  const found = route(address);
  const opens = found.kind === 'set' || (found.kind === 'start' && BOT_NAME.test(found.bot));
  return opens ? found : null;
}

/** The same server, whichever of the computer's names for itself was used. */
function isHere(address: URL, here: URL): boolean {
  const bothLocal = LOOPBACK.has(address.hostname) && LOOPBACK.has(here.hostname);
  return address.host === here.host || (bothLocal && address.port === here.port);
}

/** An address that may be put into `href`: only the web's own schemes, mail and telephone; `null` for the rest. */
export function safe(link: string, here: URL): string | null {
  const address = parsed(link, here);
  const schemes = ['http:', 'https:', 'mailto:', 'tel:'];
  return address !== null && schemes.includes(address.protocol) ? address.href : null;
}

/** The chat that an address means for a person; `null` when there is none. */
export function targetOf(route: Route, person: Person, bots: readonly Bot[]): number | null {
  if (route.kind === 'start') {
    const wanted = route.bot.toLowerCase();
    return bots.find((bot) => bot.username.toLowerCase() === wanted)?.id ?? null;
  }
  const named = route.kind === 'chat' ? (route.group ?? route.chat) : null;
  return named ?? bots[0]?.id ?? person.chats?.[0]?.id ?? null;
}

/** The address of a route: what `route` reads back as the same. */
export function addressOf(route: Route): string {
  if (route.kind === 'set') {
    return `/addstickers/${encodeURIComponent(route.name)}`;
  }
  const query = new URLSearchParams();
  if (route.kind === 'start') {
    if (route.payload !== null) query.set('start', route.payload);
    return `/${encodeURIComponent(route.bot)}${query.size > 0 ? `?${query}` : ''}`;
  }
  for (const [key, value] of [
    ['person', route.person],
    ['chat', route.chat],
    ['group', route.group],
  ] as const) {
    if (value !== null) query.set(key, String(value));
  }
  return `/chat${query.size > 0 ? `?${query}` : ''}`;
}

function parsed(link: string, here: URL): URL | null {
  const full = /^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('/') ? link : `https://${link}`;
  return URL.canParse(full, here.href) ? new URL(full, here.href) : null;
}

function whole(text: string | null): number | null {
  return text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
