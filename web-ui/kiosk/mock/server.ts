/**
 * A server for looking at the kiosk without the real one: `npx tsx kiosk/mock/server.ts [PORT]` after a build. It speaks
 * the kiosk's HTTP and serves the page under the same strict content policy. `POST /mock` moves it:
 * `{"session": {...}}` changes the last session, `{"mood": {...}}` the house. Rendered stickers are taken from the folder
 * `STICKERS_DIR` (`<id>/<index>.webp` or `.png`) when it is set.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { drawnSticker, House, outfits, type MockSession } from './house.ts';
import { mockQr } from './qr.ts';

const dist = join(import.meta.dirname, '..', 'dist');
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; media-src blob:";
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.webp': 'image/webp',
  '.png': 'image/png',
};
const bodyMax = 11 * 1024 * 1024;

/** Starts the pretended server on a port (0: any free one). */
export function serve(port: number, stickersDir: string | null): Promise<{ server: Server; house: House; port: number }> {
  const house = new House();
  const server = createServer((request, response) => {
    answer(house, stickersDir, request, response).catch(() => send(response, 500, { error: 'internal', message: '' }));
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve({ server, house, port: typeof address === 'object' && address !== null ? address.port : port });
    });
  });
}

async function answer(house: House, dir: string | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const parts = pathname.split('/').filter((part) => part !== '');
  if (request.method === 'GET') return get(house, dir, parts, pathname, response);
  const body = await readBody(request);
  if (pathname === '/mock') return moveHouse(house, body, response);
  if (pathname === '/kiosk/heartbeat') return send(response, 204, null);
  if (pathname === '/session') return openSession(house, response);
  const session = house.sessions.get(parts[1] ?? '');
  if (parts[0] !== 'session' || session === undefined) return send(response, 404, { error: 'unknown_session', message: '' });
  return postSession(house, session, parts[2] ?? '', body, response);
}

function get(house: House, dir: string | null, parts: string[], pathname: string, response: ServerResponse): void {
  if (pathname === '/' || pathname === '/kiosk') return file(response, join(dist, 'index.html'));
  if (parts[0] === 'kiosk-assets') return file(response, join(dist, normalize(parts.slice(1).join('/'))));
  if (pathname === '/templates') return send(response, 200, { templates: outfits(house.mood.outfits) });
  if (parts[0] === 'templates' && parts[2] === 'stickers') return sticker(response, dir, parts[1] ?? '', parts[3] ?? '');
  if (pathname === '/health') return send(response, 200, { ok: true, maintenance: house.mood.maintenance });
  if (pathname === '/kiosk/config') {
    return send(response, 200, { event_name: 'Navroʻz Fest', brand_name: 'Stickers', version: house.mood.version });
  }
  const session = house.sessions.get(parts[1] ?? '');
  if (parts[0] !== 'session' || session === undefined) return send(response, 404, { error: 'unknown_session', message: '' });
  if (parts[2] === 'events') return events(house, session, response);
  return send(response, 200, session);
}

function openSession(house: House, response: ServerResponse): void {
  if (house.mood.maintenance !== null) return send(response, 503, { error: 'maintenance', message: '' });
  const session = house.open();
  const deepLink = `${house.mood.link}/example_bot?start=${session.token}`;
  send(response, 201, { token: session.token, status: 'idle', deep_link: deepLink, qr_svg: mockQr(session.token) });
}

async function postSession(house: House, session: MockSession, call: string, body: Buffer, response: ServerResponse): Promise<void> {
  switch (call) {
    case 'template': {
      if (house.mood.maintenance !== null) return send(response, 503, { error: 'maintenance', message: '' });
      const { template_id } = JSON.parse(body.toString()) as { template_id: string };
      house.move(session, { status: 'template_chosen', template_id });
      return send(response, 200, session);
    }
    case 'photo': {
      if (house.mood.uploadMs > 0) await new Promise((go) => setTimeout(go, house.mood.uploadMs));
      const refuse = house.mood.refusePhoto;
      if (refuse !== null) return send(response, refuse.status, { error: refuse.error, message: '', status: session.status });
      house.move(session, { status: 'photo_taken', job: { status: 'queued', position: 3, eta_seconds: 215 } });
      return send(response, 202, { job_id: 1, ...session.job });
    }
    case 'face':
      return house.mood.face === null ? send(response, 429, { error: 'busy', message: '' }) : send(response, 200, house.mood.face);
    case 'expire':
      house.move(session, { status: 'expired', closed_reason: 'cancel' });
      return send(response, 200, { ...session, changed: true });
    default:
      return send(response, 404, { error: 'not_found', message: '' });
  }
}

function moveHouse(house: House, body: Buffer, response: ServerResponse): void {
  const wish = JSON.parse(body.toString()) as { session?: Partial<MockSession>; mood?: Partial<House['mood']> };
  Object.assign(house.mood, wish.mood ?? {});
  const session = house.last();
  if (wish.session !== undefined && session !== undefined) house.move(session, wish.session);
  send(response, 204, null);
}

function events(house: House, session: MockSession, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const tell = (now: MockSession): void => void response.write(`data: ${JSON.stringify(now)}\n\n`);
  const stop = house.listen(session.token, tell);
  response.on('close', stop);
  tell(session);
}

function sticker(response: ServerResponse, dir: string | null, id: string, name: string): void {
  const index = Number.parseInt(name, 10);
  for (const end of dir === null ? [] : ['.webp', '.png']) {
    const path = join(dir ?? '', normalize(id), `${index}${end}`);
    if (existsSync(path)) return file(response, path);
  }
  response.writeHead(200, { 'content-type': 'image/svg+xml' });
  response.end(drawnSticker(id, index));
}

function file(response: ServerResponse, path: string): void {
  if (!existsSync(path)) return send(response, 404, { error: 'not_found', message: '' });
  response.writeHead(200, {
    'content-type': types[extname(path)] ?? 'application/octet-stream',
    'content-security-policy': policy,
    'cache-control': 'no-store',
  });
  response.end(readFileSync(path));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(body === null ? undefined : JSON.stringify(body));
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyMax) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

if (import.meta.filename === process.argv[1]) {
  const { port } = await serve(Number(process.argv[2] ?? 8100), process.env['STICKERS_DIR'] ?? null);
  console.log(`http://127.0.0.1:${port}/`);
}
