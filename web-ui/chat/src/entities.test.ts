import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Span, plain, spans } from './entities.ts';
import type { Entity } from './types.ts';

/** Spans as a short text: `bold[…]` for an entity, the letters for plain text. */
function told(list: Span[]): string {
  return list.map((span) => (typeof span === 'string' ? span : `${span.entity.type}[${told(span.inside)}]`)).join('');
}

const mark = (type: string, offset: number, length: number): Entity => ({ type, offset, length });

test('a text without entities stays one piece', () => {
  assert.deepEqual(spans('Готово', []), ['Готово']);
  assert.deepEqual(spans('', []), []);
});

test('offsets count UTF-16 units, so an emoji before an entity counts as two', () => {
  assert.equal(told(spans('🎉 Готово!', [mark('bold', 3, 6)])), '🎉 bold[Готово]!');
  assert.equal(told(spans('👨‍👩‍👧 hi', [mark('italic', 9, 2)])), '👨‍👩‍👧 italic[hi]');
});

test('entities stand inside one another whatever their order on the wire', () => {
  const given = [mark('italic', 4, 3), mark('bold', 0, 11), mark('code', 8, 3)];
  assert.equal(told(spans('one two six', given)), 'bold[one italic[two] code[six]]');
});

test('two entities on the same letters both hold', () => {
  assert.equal(told(spans('both', [mark('bold', 0, 4), mark('italic', 0, 4)])), 'bold[italic[both]]');
});

test('an entity that crosses the end of another is dropped and its letters stay', () => {
  assert.equal(told(spans('abcdef', [mark('bold', 0, 4), mark('italic', 2, 4)])), 'bold[abcd]ef');
});

test('an entity past the end is cut, one that splits an emoji or starts before the text is dropped', () => {
  assert.equal(told(spans('abc', [mark('bold', 1, 50)])), 'abold[bc]');
  assert.equal(told(spans('abc', [mark('bold', 3, 1)])), 'abc');
  assert.equal(told(spans('abc', [mark('bold', -1, 2)])), 'abc');
  assert.equal(told(spans('a🎉b', [mark('bold', 2, 2)])), 'a🎉b');
  assert.equal(told(spans('a🎉b', [mark('bold', 0, 2)])), 'a🎉b');
});

test('whatever the entities are, no letter is lost', () => {
  const text = 'a🎉b /help +998 90 x';
  for (let offset = -1; offset <= text.length + 1; offset += 1) {
    for (let length = 0; length <= text.length; length += 3) {
      const given = [mark('bold', offset, length), mark('code', offset + 1, 2), mark('url', 3, 7)];
      assert.equal(spans(text, given).map(plain).join(''), text);
    }
  }
});
