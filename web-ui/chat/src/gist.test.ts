import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gist } from './gist.ts';
import { texts } from './texts.ts';
import type { Message } from './types.ts';

const told = (part: Partial<Message>) => gist({ id: 1, from: { id: 1, name: 'L' }, date: 0, ...part }, texts('ru'));

test('a message is quoted by its text, or by a word of the reader for what it is', () => {
  assert.equal(told({ text: 'Привет' }), 'Привет');
  assert.equal(told({ text: '', sticker: { file: 'f', emoji: '😍', width: 512, height: 512 } }), '😍 Стикер');
  assert.equal(told({ text: '', sticker: { file: 'f', width: 512, height: 512 } }), 'Стикер');
  assert.equal(told({ text: '', photo: { file: 'f' } }), 'Фото');
  assert.equal(told({ text: '', document: { file: 'f', name: 'leads.csv', size: 1 } }), 'leads.csv');
  assert.equal(told({ text: '', service: 'Лола в группе' }), 'Лола в группе');
  assert.equal(told({ text: '' }), 'Файл');
});
