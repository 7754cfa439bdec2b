/** The sent screen stands for 24 hours, and a broken storage breaks nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerOf } from './send.ts';
import { KEY, remember, wasSentLately } from './sent.ts';

function keeper(kept: string | null) {
  const values = new Map(kept === null ? [] : [[KEY, kept]]);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

const HOUR = 3_600_000;

test('the sent screen stands for 24 hours after a success', () => {
  const kept = keeper(null);
  assert.equal(wasSentLately(kept, 0), false);
  remember(kept, 1_000);
  assert.equal(wasSentLately(kept, 1_000), true);
  assert.equal(wasSentLately(kept, 1_000 + 24 * HOUR - 1), true);
  assert.equal(wasSentLately(kept, 1_000 + 24 * HOUR), false);
});

test('a time that cannot be is not believed', () => {
  for (const text of ['soon', '', '-5', '1e3', 'NaN']) assert.equal(wasSentLately(keeper(text), 1_000), false, text);
  assert.equal(wasSentLately(keeper('2000'), 1_000), false);
});

test('a storage that throws, and none at all, only forget', () => {
  const broken = {
    getItem: (): string => {
      throw new Error('forbidden');
    },
    setItem: (): void => {
      throw new Error('full');
    },
  };
  remember(broken, 1);
  assert.equal(wasSentLately(broken, 1), false);
  remember(null, 1);
  assert.equal(wasSentLately(null, 1), false);
});

test('an answer that cannot be read is an error', () => {
  assert.deepEqual(answerOf({ result: 'sent' }), { result: 'sent' });
  assert.deepEqual(answerOf({ result: 'throttled' }), { result: 'throttled' });
  assert.deepEqual(answerOf({ result: 'invalid', errors: { name: 'required', phone: 5 } }), {
    result: 'invalid',
    errors: { name: 'required' },
  });
  for (const body of [null, 'sent', {}, { result: 'maybe' }, { result: 'invalid' }, { result: 'invalid', errors: null }]) {
    assert.deepEqual(answerOf(body), { result: 'error' });
  }
});
