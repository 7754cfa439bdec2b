/** Starts `stickers demo` on free ports in a folder of its own, and stops it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './camera.ts';

export interface Demo {
  /** Address of the start page. */
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

/** The data of the start page. */
export interface Doors {
  kiosk_url: string;
  guest_url: string;
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

/** `variables` are added to the program's environment, for instance another database. */
export async function startDemo(variables: Record<string, string> = {}): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'stickers-demo-'));
  const binary = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/stickers');
  const port = await freePort();
  const environment = { PATH: process.env.PATH ?? '', HOME: folder, DATA_DIR: join(folder, 'data'), ...variables };
  const child = spawn(binary, ['demo', '--port', String(port)], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const start = await firstAddress(child);
  return {
    start,
    folder,
    stop: async () => {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      const status = await ended;
      rmSync(folder, { recursive: true, force: true });
      return status;
    },
  };
}

function firstAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`the demo printed no address:\n${said}`)), 60_000);
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const found = /https?:\/\/[^\s]+/.exec(said);
      if (found !== null) {
        clearTimeout(timer);
        resolve(found[0]);
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
