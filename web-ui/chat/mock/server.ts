/**
 * A small stand-in for the simulator, for working on the two pages without it: `node --import tsx mock/server.ts --port 8090`.
 * It answers the page API from memory, plays one bot with a few canned answers, and serves the built pages under the same
 * content security policy as the real servers. `--stickers FOLDER` takes the pictures `0.png` to `8.png` from a folder.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { parseArgs } from 'node:util';
import type { Message } from '../src/types.ts';
import { BOT, MockWorld, type Where } from './world.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8090' },
    stickers: { type: 'string' },
    story: { type: 'boolean', default: false },
    now: { type: 'string' },
  },
});

const CHAT = new URL('../dist/', import.meta.url).pathname;
const START = new URL('../../start/dist/', import.meta.url).pathname;
const BODY_BYTES_MAX = 100_000;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json',
};

const started = values.now === undefined ? null : Number(values.now);
const world = new MockWorld(() => started ?? Math.floor(Date.now() / 1000));
if (values.story) {
  world.tellStory();
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function file(response: ServerResponse, root: string, path: string): void {
  const full = normalize(join(root, path));
  if (!full.startsWith(root) || !existsSync(full)) {
    json(response, 404, { error: 'not_found', message: 'no such file' });
    return;
  }
  response.writeHead(200, {
    'content-type': TYPES[extname(full)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
  });
  response.end(readFileSync(full));
}

/** A drawn face, so that the grid is full without any picture. */
function drawing(index: number): string {
  const colours = ['#d6f1ef', '#ece5fb', '#ffe3e8', '#dcf3e1', '#e4e8ff', '#fff0c9', '#ffc233', '#c81e4a', '#0b7480'];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512" viewBox="0 0 512 512"><circle cx="256" cy="256" r="220" fill="${colours[index % 9]}" stroke="#fff" stroke-width="30"/><path d="M180 200v40M332 200v40M170 310q86 90 172 0" fill="none" stroke="#2b1826" stroke-width="24" stroke-linecap="round"/></svg>`;
}

function picture(response: ServerResponse, name: string): void {
  const index = Number(/^sticker-(\d+)/.exec(name)?.[1] ?? '0');
  const path = values.stickers === undefined ? '' : join(values.stickers, `${index}.png`);
  if (existsSync(path)) {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.end(readFileSync(path));
    return;
  }
  response.writeHead(200, { 'content-type': 'image/svg+xml' });
  response.end(drawing(index));
}

function whereOf(url: URL): Where {
  return { person: Number(url.searchParams.get('person')), chat: Number(url.searchParams.get('chat')) };
}

function events(request: IncomingMessage, response: ServerResponse, where: Where): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const tell = () => response.write(`data: ${JSON.stringify(world.view(where))}\n\n`);
  tell();
  const leave = world.onChange(tell);
  request.on('close', leave);
}

async function body(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > BODY_BYTES_MAX) throw new Error('body too large');
  }
  return JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>;
}

function read(request: IncomingMessage, response: ServerResponse, url: URL): void {
  const path = url.pathname;
  if (path === '/sim/people') return json(response, 200, { people: world.people });
  if (path === '/sim/bots') return json(response, 200, { bots: [BOT] });
  if (path === '/sim/chat' || path === '/sim/events') {
    const where = whereOf(url);
    const refusal = world.refusal(where);
    if (refusal !== null) return json(response, 404, refusal);
    return path === '/sim/chat' ? json(response, 200, world.view(where)) : events(request, response, where);
  }
  if (path.startsWith('/sim/sets/')) {
    const set = world.set(decodeURIComponent(path.slice('/sim/sets/'.length)));
    return set === null ? json(response, 404, { error: 'unknown_set', message: 'no set' }) : json(response, 200, set);
  }
  if (path.startsWith('/sim/files/')) return picture(response, path.slice('/sim/files/'.length));
  if (path.startsWith('/chat-assets/')) return file(response, CHAT, path.slice('/chat-assets/'.length));
  if (path.startsWith('/start-assets/')) return file(response, START, path.slice('/start-assets/'.length));
  if (path === '/demo.json') return json(response, 200, world.demo(values.stickers !== undefined));
  if (path === '/') return file(response, START, 'index.html');
  return file(response, CHAT, 'index.html');
}

async function write(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  const given = await body(request);
  const where = { person: Number(given['person']), chat: Number(given['chat'] ?? given['bot']) };
  const text = String(given['text'] ?? '');
  switch (path) {
    case '/sim/people':
      return json(response, 201, world.addPerson(String(given['first_name']), String(given['language_code'])));
    case '/sim/start':
      world.said(where, `/start${given['payload'] === undefined ? '' : ` ${String(given['payload'])}`}`);
      return json(response, 201, {});
    case '/sim/send':
      world.said(where, text, given['reply_to'] as number | undefined);
      return json(response, 201, { message_id: 0 });
    case '/sim/press':
      world.press(where, Number(given['message_id']), { row: Number(given['row']), col: Number(given['col']) });
      return json(response, 202, {});
    case '/sim/sticker':
      world.sticker(where, String(given['set']), Number(given['index']));
      return json(response, 201, {});
    case '/sim/block':
      world.block(where, given['blocked'] === true);
      return json(response, 200, {});
    case '/mock/say':
      world.add(where, given['message'] as Partial<Message>);
      return json(response, 200, {});
    case '/mock/edit':
      world.edit(where, Number(given['message_id']), given['message'] as Partial<Message>);
      return json(response, 200, {});
    default:
      return json(response, 404, { error: 'not_found', message: path });
  }
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST') {
    write(request, response, url.pathname).catch((problem: unknown) =>
      json(response, 400, { error: 'bad_request', message: String(problem) }),
    );
  } else {
    read(request, response, url);
  }
}).listen(Number(values.port), '127.0.0.1', () => console.log(`mock listening on http://127.0.0.1:${values.port}`));
