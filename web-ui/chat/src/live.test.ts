import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaning, pauseMs } from './live.ts';

test('pauses between attempts double and stay under eight seconds', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map(pauseMs), [500, 1000, 2000, 4000, 8000, 8000, 8000]);
});

test('a refusal says whether the person or the chat is gone; a server in trouble says neither', () => {
  assert.equal(meaning(404, 'unknown_person'), 'nobody');
  assert.equal(meaning(404, 'unknown_chat'), 'missing');
  for (const status of [0, 429, 500, 502, 503]) {
    assert.equal(meaning(status, 'unknown_person'), null);
  }
});
