/** The small sums behind the screens. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureAt } from './screens/attract.tsx';
import { shortName } from './screens/consent.tsx';
import { clock } from './screens/qr.tsx';
import { stepLooks } from './screens/queue.tsx';

test('the start swaps one sticker at a time, each place in its turn', () => {
  const row = (swaps: number): number[] => [0, 1, 2, 3, 4].map((place) => pictureAt(place, swaps));
  assert.deepEqual(row(0), [0, 1, 2, 3, 4]);
  for (let swaps = 0; swaps < 30; swaps += 1) {
    const changed = row(swaps).filter((picture, place) => picture !== row(swaps + 1)[place]);
    assert.equal(changed.length, 1);
    assert.equal(new Set(row(swaps)).size, 5);
  }
});

test('a long name is cut at sixteen letters, a combined letter is never cut in two', () => {
  assert.equal(shortName('Лола'), 'Лола');
  assert.equal(shortName('Абдурахмонжон-Мирзо'), 'Абдурахмонжон-М…');
  assert.equal([...new Intl.Segmenter().segment(shortName('👩‍🚀'.repeat(20)))].length, 16);
});

test('the time on the QR is minutes and two digits', () => {
  assert.deepEqual([90, 72, 60, 9, 0].map(clock), ['1:30', '1:12', '1:00', '0:09', '0:00']);
});

test('the steps say how far the pack is', () => {
  const job = { position: 1, eta_seconds: 60 };
  assert.deepEqual(stepLooks({ ...job, status: 'queued' }), ['done', 'now', 'later']);
  assert.deepEqual(stepLooks({ ...job, status: 'processing' }), ['done', 'now', 'later']);
  assert.deepEqual(stepLooks({ ...job, status: 'delivering' }), ['done', 'done', 'now']);
});
