/** The simulator's page API, one function a call. Every request has a bound of its own. */
import type { Bot, Person, StickerSet, View } from './types.ts';

/** After this a request counts as failed: everything runs on the same computer. */
const REQUEST_MS_MAX = 10_000;

/** A request that was refused, with the server's own word for it, or that got no answer (`status` 0). */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The person and the chat that a tab shows. */
export interface Where {
  person: number;
  chat: number;
}

/** Everybody the world knows, with their chats. */
export async function people(): Promise<Person[]> {
  return (await get<{ people: Person[] }>('/sim/people')).people;
}

/** Adds a guest. */
export function addPerson(first_name: string, language_code: string): Promise<Person> {
  return post<Person>('/sim/people', { first_name, language_code });
}

/** The bots that can be started. */
export async function bots(): Promise<Bot[]> {
  return (await get<{ bots: Bot[] }>('/sim/bots')).bots;
}

/** One chat as one person sees it, once. */
export function view(where: Where): Promise<View> {
  return get<View>(`/sim/chat?${query(where)}`);
}

/** The address of the stream that repeats the view at each change. */
export function eventsAddress(where: Where): string {
  return `/sim/events?${query(where)}`;
}

/** A sticker set. */
export function stickerSet(name: string): Promise<StickerSet> {
  return get<StickerSet>(`/sim/sets/${encodeURIComponent(name)}`);
}

/** The address of a file's bytes. */
export function fileAddress(file: string): string {
  return `/sim/files/${encodeURIComponent(file)}`;
}

/** Sends a text as the person of the tab. */
export function send(where: Where, text: string, reply_to: number | null): Promise<unknown> {
  return post('/sim/send', { ...where, text, ...(reply_to === null ? {} : { reply_to }) });
}

/** Presses START in the chat with a bot, with the payload of the link if there was one. */
export function start(person: number, bot: number, payload: string | null): Promise<unknown> {
  return post('/sim/start', { person, bot, ...(payload === null ? {} : { payload }) });
}

/** Presses an inline button. */
export function press(where: Where, message_id: number, row: number, col: number): Promise<unknown> {
  return post('/sim/press', { ...where, message_id, row, col });
}

/** Sends a sticker of a set. */
export function sendSticker(where: Where, set: string, index: number): Promise<unknown> {
  return post('/sim/sticker', { ...where, set, index });
}

/** Blocks a bot or lets it write again. */
export function block(person: number, bot: number, blocked: boolean): Promise<unknown> {
  return post('/sim/block', { person, bot, blocked });
}

/** An administrator begins or ends to write as the group. */
export function hide(group: number, person: number, hidden: boolean): Promise<unknown> {
  return post(`/sim/groups/${group}/hidden`, { person, hidden });
}

function query(where: Where): string {
  return new URLSearchParams({ person: String(where.person), chat: String(where.chat) }).toString();
}

function get<T>(path: string): Promise<T> {
  return request<T>(path, { method: 'GET' });
}

function post<T>(path: string, body: object): Promise<T> {
  return request<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  let body: string;
  try {
    response = await fetch(path, { ...init, signal: AbortSignal.timeout(REQUEST_MS_MAX) });
    body = await response.text();
  } catch (cause) {
    throw new Refused(0, 'no_answer', cause instanceof Error ? cause.message : 'no answer');
  }
  const value = parsed(body);
  if (!response.ok) {
    const said = (value ?? {}) as { error?: string; message?: string };
    throw new Refused(response.status, said.error ?? 'refused', said.message ?? response.statusText);
  }
  return value as T;
}

/** An answer without a body, or with one that is not JSON, is no value. */
function parsed(body: string): unknown {
  try {
    return body === '' ? null : (JSON.parse(body) as unknown);
  } catch {
    return null;
  }
}
