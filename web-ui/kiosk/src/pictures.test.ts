/** The shelf of house stickers: few at a time, what is looked at first, kept, tried again within limits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pictures } from './effects/pictures.ts';

/** An outside that answers when told to. */
function outside() {
  const asked: string[] = [];
  const open = new Map<string, { good: () => void; bad: () => void }>();
  const laters: (() => void)[] = [];
  const shelf = new Pictures({
    fetch: (url) => {
      asked.push(url);
      return new Promise((resolve, reject) => {
        open.set(url, { good: () => resolve(new Blob([url])), bad: () => reject(new TypeError('no')) });
      });
    },
    address: () => `blob:${asked.length}`,
    forget: () => undefined,
    later: (act) => void laters.push(act),
  });
  const settle = () => new Promise<void>((go) => setImmediate(go));
  return { asked, open, laters, shelf, settle };
}

test('only two pictures are fetched at once', async () => {
  const { asked, open, shelf, settle } = outside();
  shelf.ahead(['a', 'b', 'c']);
  assert.deepEqual(asked, ['a', 'b']);
  open.get('a')?.good();
  await settle();
  assert.deepEqual(asked, ['a', 'b', 'c']);
});

test('a picture that somebody looks at goes before those fetched ahead', async () => {
  const { asked, open, shelf, settle } = outside();
  shelf.ahead(['a', 'b', 'c', 'd']);
  shelf.want('d', () => undefined);
  open.get('a')?.good();
  await settle();
  assert.deepEqual(asked, ['a', 'b', 'd']);
});

test('a picture that is here is given at once and not fetched again', async () => {
  const { asked, open, shelf, settle } = outside();
  const heard: string[] = [];
  shelf.want('a', (address) => heard.push(address));
  open.get('a')?.good();
  await settle();
  shelf.want('a', (address) => heard.push(address));
  assert.equal(heard.length, 2);
  assert.equal(heard[0], heard[1]);
  assert.deepEqual(asked, ['a']);
});

test('a picture that fails is tried again a few times and then left', async () => {
  const { asked, open, laters, shelf, settle } = outside();
  shelf.ahead(['a']);
  for (let round = 0; round < 10; round += 1) {
    open.get('a')?.bad();
    await settle();
    laters.shift()?.();
  }
  assert.equal(asked.length, 5);
});

test('nobody is told who stopped waiting', async () => {
  const { open, shelf, settle } = outside();
  let told = false;
  shelf.want('a', () => (told = true))();
  open.get('a')?.good();
  await settle();
  assert.equal(told, false);
});
