/** The server as the kiosk sees it: every call in one place, every answer of a known shape or a refusal. */
import { isLanguage, type Language } from '../../../shared/texts/index.ts';
import type { CloseReason, Config, Job, Opened, Refusal, Session, Template } from '../machine/model.ts';

/**
 * What came of a call: a value, the server's no, "not now" (it is there and may do it in a moment), or no answer at all
 * (also an answer that only something between us and the server gives).
 */
export type Answer<T> = { is: 'value'; value: T } | { is: 'refused'; refusal: Refusal } | { is: 'busy' } | { is: 'lost' };

/** Codes of the server that say "not now". */
const notNow = ['internal', 'timed_out', 'busy'];

/** Codes that mean the same to a guest as one that has a sentence. */
const sameAs: Record<string, string> = { not_found: 'unknown_session', locked_out: 'kiosk_key', body_too_large: '413' };

/** What the face check says of a frame; `busy` when the server asks for fewer frames. */
export type FaceAnswer = { is: 'seen'; ok: boolean; hint: string | null } | { is: 'unknown' };

/** What the tablet reports about itself. */
export interface Pulse {
  kiosk: string;
  camera: 'ok' | 'denied' | 'lost';
  battery: number | null;
  version: string;
}

/** How long a call may take, in milliseconds. */
const limits = { call: 8_000, face: 2_000, upload: 60_000 } as const;

/** The calls. `key` is asked at each call, because staff may store one while the page runs. */
export interface Api {
  openSession(kiosk: string, language: Language): Promise<Answer<Opened>>;
  session(token: string): Promise<Answer<Session>>;
  choose(token: string, id: string): Promise<Answer<Session>>;
  upload(token: string, photo: Blob, moved: (share: number) => void, stop: AbortSignal): Promise<Answer<Job>>;
  face(token: string, frame: Blob): Promise<FaceAnswer>;
  expire(token: string, reason: CloseReason): Promise<Answer<null>>;
  pulse(pulse: Pulse): Promise<Answer<null>>;
  templates(): Promise<Answer<Template[]>>;
  config(): Promise<Answer<Config>>;
  maintenance(): Promise<Answer<boolean>>;
  eventsUrl(token: string): string;
}

/** The API over `fetch` and `XMLHttpRequest` (which alone tells how many bytes have left). */
export function connect(key: () => string | null): Api {
  const call = <T>(path: string, init: RequestInit, read: (body: unknown) => T) => answer(path, withKey(init, key()), read);
  return {
    openSession: (kiosk, language) => call('/session', json({ kiosk, language }), readOpened),
    session: (token) => call(`/session/${segment(token)}`, {}, readSession),
    choose: (token, id) => call(`/session/${segment(token)}/template`, json({ template_id: id }), readSession),
    upload: (token, photo, moved, stop) => upload(`/session/${segment(token)}/photo`, photo, key(), moved, stop),
    face: (token, frame) => face(`/session/${segment(token)}/face`, withKey(jpeg(frame), key())),
    expire: (token, reason) =>
      call(`/session/${segment(token)}/expire?reason=${reason}`, { method: 'POST', keepalive: true }, () => null),
    pulse: (pulse) => call('/kiosk/heartbeat', json(pulse), () => null),
    templates: () => call('/templates', {}, readTemplates),
    config: () => call('/kiosk/config', {}, readConfig),
    maintenance: () => call('/health', {}, readMaintenance),
    eventsUrl: (token) => `/session/${segment(token)}/events`,
  };
}

function segment(token: string): string {
  return encodeURIComponent(token);
}

function json(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function jpeg(frame: Blob): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'image/jpeg' }, body: frame };
}

function withKey(init: RequestInit, key: string | null): RequestInit {
  if (key === null || init.method !== 'POST') return init;
  return { ...init, headers: { ...init.headers, 'x-kiosk-key': key } };
}

async function answer<T>(path: string, init: RequestInit, read: (body: unknown) => T): Promise<Answer<T>> {
  try {
    const response = await fetch(path, { cache: 'no-store', ...init, signal: AbortSignal.timeout(limits.call) });
    const body = response.status === 204 ? null : parse(await response.text());
    return judge(response.status, body, read);
  } catch {
    return { is: 'lost' };
  }
}

/** A 5xx without a code of ours comes from something in between: the same as no answer. */
function judge<T>(status: number, body: unknown, read: (body: unknown) => T): Answer<T> {
  if (status >= 200 && status < 300) return { is: 'value', value: read(body) };
  const code = text(field(body, 'error'));
  if (status === 413) return refused('413', body);
  if (code !== null && notNow.includes(code)) return { is: 'busy' };
  if (code !== null) return refused(sameAs[code] ?? code, body);
  if (status === 404) return refused('unknown_session', body);
  return status >= 500 || status === 429 ? { is: 'lost' } : refused('try_again', body);
}

function refused(code: string, body: unknown): { is: 'refused'; refusal: Refusal } {
  return {
    is: 'refused',
    refusal: { code, notice: notice(field(body, 'notice')), status: text(field(body, 'status')) as Refusal['status'] },
  };
}

async function face(path: string, init: RequestInit): Promise<FaceAnswer> {
  try {
    const response = await fetch(path, { ...init, signal: AbortSignal.timeout(limits.face) });
    if (!response.ok) return { is: 'unknown' };
    const body: unknown = await response.json();
    return { is: 'seen', ok: field(body, 'ok') === true, hint: text(field(body, 'hint')) };
  } catch {
    return { is: 'unknown' };
  }
}

function upload(
  path: string,
  photo: Blob,
  key: string | null,
  moved: (share: number) => void,
  stop: AbortSignal,
): Promise<Answer<Job>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append('photo', photo, 'photo.jpg');
    request.open('POST', path);
    if (key !== null) request.setRequestHeader('x-kiosk-key', key);
    request.timeout = limits.upload;
    request.upload.onprogress = (event) => event.lengthComputable && moved(event.loaded / event.total);
    request.onload = () => resolve(judgeUpload(request.status, request.responseText));
    request.onerror = request.ontimeout = request.onabort = () => resolve({ is: 'lost' });
    stop.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

function judgeUpload(status: number, body: string): Answer<Job> {
  try {
    return judge(status, parse(body), (value) => readJob(value) ?? broken());
  } catch {
    return { is: 'lost' };
  }
}

/** An answer of another shape than promised; callers treat it as no answer. */
function broken(): never {
  throw new TypeError('the server answered in an unknown shape');
}

function parse(body: string): unknown {
  try {
    return body === '' ? null : JSON.parse(body);
  } catch {
    return null;
  }
}

function field(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function notice(value: unknown): Session['notice'] {
  return value === 'pack_ready' || value === 'pack_in_progress' ? value : null;
}

function readOpened(body: unknown): Opened {
  const token = text(field(body, 'token')) ?? broken();
  return { token, deepLink: text(field(body, 'deep_link')) ?? '', qrSvg: text(field(body, 'qr_svg')) ?? broken() };
}

const sessionStatuses = ['idle', 'linked', 'consented', 'template_chosen', 'photo_taken', 'expired'] as const;
const jobStatuses = ['queued', 'processing', 'delivering', 'done', 'failed'] as const;

/** A session from the server's object; throws on another shape. */
export function readSession(body: unknown): Session {
  const language = field(body, 'language');
  return {
    token: text(field(body, 'token')) ?? broken(),
    status: sessionStatuses.find((status) => status === field(body, 'status')) ?? broken(),
    template_id: text(field(body, 'template_id')),
    closed_reason: text(field(body, 'closed_reason')),
    notice: notice(field(body, 'notice')),
    first_name: text(field(body, 'first_name')),
    language: isLanguage(language) ? language : null,
    job: readJob(field(body, 'job')),
  };
}

function readJob(body: unknown): Job | null {
  const status = jobStatuses.find((known) => known === field(body, 'status'));
  if (status === undefined) return null;
  return { status, position: number(field(body, 'position')), eta_seconds: number(field(body, 'eta_seconds')) };
}

function readTemplates(body: unknown): Template[] {
  const list = field(body, 'templates');
  return Array.isArray(list) ? list.map(readTemplate) : broken();
}

function readTemplate(body: unknown): Template {
  const id = text(field(body, 'id')) ?? broken();
  const titles = field(body, 'titles');
  const title = (language: Language) => text(field(titles, language)) ?? id;
  return {
    id,
    titles: { ru: title('ru'), uz: title('uz'), en: title('en') },
    previewUrl: text(field(body, 'preview_url')) ?? '',
    stickers: number(field(body, 'stickers')) ?? 1,
  };
}

function readConfig(body: unknown): Config {
  return {
    eventName: text(field(body, 'event_name')) ?? '',
    brandName: text(field(body, 'brand_name')) ?? '',
    version: text(field(body, 'version')) ?? '',
  };
}

function readMaintenance(body: unknown): boolean {
  return text(field(body, 'maintenance')) !== null;
}
