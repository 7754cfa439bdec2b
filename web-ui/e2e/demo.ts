/** Starts `stickers demo` on free ports in a folder of its own, and stops it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { root } from './camera.ts';

export interface Demo {
  /** Address of the start page, or of the API. */
  start: string;
  /** Folder with its data. */
  folder: string;
  /** Ctrl-C; answers the exit status. */
  stop(): Promise<number | null>;
}

const running = new Set<ChildProcess>();

/** After a failed test nothing may go on. */
export function killDemos(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

/** Starts a program of the workspace; it is killed after the test whatever happens. */
export function start(name: string, args: string[], folder: string, variables: Record<string, string>): ChildProcess {
  const binary = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug', name);
  const environment = { PATH: process.env.PATH ?? '', HOME: folder, DATA_DIR: join(folder, 'data'), ...variables };
  const child = spawn(binary, args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Ctrl-C; answers the exit status. */
export function interrupt(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return ended;
}

export async function startDemo(): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'stickers-demo-'));
  const child = start('stickers', ['demo', '--port', String(await freePort())], folder, {});
  return {
    start: await firstAddress(child),
    folder,
    stop: async () => {
      const status = await interrupt(child);
      rmSync(folder, { recursive: true, force: true });
      return status;
    },
  };
}

/** The simulator, the API and the bot as three processes on a database; `start` is the API's address. */
export async function startProcesses(database: string): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'stickers-processes-'));
  const simulator = start('simulator', ['--bind', '127.0.0.1:0', '--token', '123456:TEST'], folder, {});
  const telegram = await firstAddress(simulator);
  const variables = {
    BOT_TOKEN: '123456:TEST',
    TELEGRAM_API_URL: telegram,
    TELEGRAM_LINK_URL: telegram,
    DATABASE_URL: database,
    API_BIND: '127.0.0.1:0',
  };
  const api = start('stickers', ['api'], folder, variables);
  const address = await firstAddress(api);
  const bot = start('stickers', ['bot'], folder, variables);
  bot.stdout?.resume();
  bot.stderr?.resume();
  await botLives(address);
  return {
    start: address,
    folder,
    stop: async () => {
      const statuses = [await interrupt(bot), await interrupt(api)];
      await interrupt(simulator);
      rmSync(folder, { recursive: true, force: true });
      return statuses.find((status) => status !== 0) ?? 0;
    },
  };
}

/** Until the bot has introduced itself START is answered with "starting up"; a bot that lives has. */
async function botLives(api: string): Promise<void> {
  const seen = async (): Promise<unknown> => ((await (await fetch(`${api}/health`)).json()) as Record<string, unknown>).bot_seen_seconds;
  await expect.poll(seen, { message: 'the bot shows no sign of life', timeout: 60_000 }).toEqual(expect.any(Number));
}

export function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`the demo printed no address:\n${said}`)), 60_000);
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /https?:\/\/[^\s]+/.exec(said);
      if (found !== null) {
        clearTimeout(timer);
        resolve(found[0].replace(/\/$/, ''));
      }
    };
    child.stdout?.on('data', hear);
    // Read on, so that the program never waits for a full pipe; kept for the message above.
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    child.once('exit', (status) => reject(new Error(`the demo ended with ${status}:\n${said}`)));
  });
}
