/** When a page of the panel says that its numbers are old. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Freshness } from './fresh.ts';

test('a page is believed for fifteen seconds after the last word of the server', () => {
  const fresh = new Freshness(1_000);
  assert.equal(fresh.isLost(16_000), false);
  assert.equal(fresh.isLost(16_001), true);
  fresh.heard(20_000);
  assert.equal(fresh.isLost(35_000), false);
});

test('an answer that did not come is told at once, and the next one that comes takes it back', () => {
  const fresh = new Freshness(0);
  fresh.asked(false, 2_000);
  assert.equal(fresh.isLost(2_000), true);
  fresh.heard(3_000);
  assert.equal(fresh.isLost(3_000), true, 'the stream lives, the page does not come');
  fresh.asked(true, 4_000);
  assert.equal(fresh.isLost(4_000), false);
});
