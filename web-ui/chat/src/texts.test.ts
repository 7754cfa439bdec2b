import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, filled, languageOf, plural, texts, type Texts } from './texts.ts';

const keys = (language: (typeof LANGUAGES)[number]) => Object.keys(texts(language)).sort();
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

test('the three languages have the same keys, each with words and the same placeholders', () => {
  for (const language of LANGUAGES) {
    assert.deepEqual(keys(language), keys('ru'), language);
    for (const [key, text] of Object.entries(texts(language))) {
      assert.notEqual(text.trim(), '', `${language} ${key}`);
      assert.deepEqual(placeholders(text), placeholders(texts('ru')[key as 'page']), `${language} ${key}`);
    }
  }
});

test('no Russian letter stands in an English or Uzbek text', () => {
  for (const language of ['en', 'uz'] as const) {
    for (const [key, text] of Object.entries(texts(language))) {
      assert.doesNotMatch(text, /\p{Script=Cyrillic}/u, `${language} ${key}`);
    }
  }
});

test('Uzbek differs from Russian and from English in every text', () => {
  for (const key of keys('ru') as (keyof Texts)[]) {
    assert.notEqual(texts('uz')[key], texts('ru')[key], key);
    assert.notEqual(texts('uz')[key], texts('en')[key], key);
  }
});

test('Uzbek writes oʻ and gʻ with the proper letter and never with an apostrophe', () => {
  for (const [key, text] of Object.entries(texts('uz'))) {
    assert.doesNotMatch(text, /['’‘`]/u, key);
  }
});

test('a language code finds its language, and an unknown one English', () => {
  assert.equal(languageOf('uz-Latn-UZ'), 'uz');
  assert.equal(languageOf('RU'), 'ru');
  assert.equal(languageOf('de'), 'en');
  assert.equal(languageOf(null), 'en');
});

test('numbers take the forms of the language', () => {
  const of = (count: number) => plural(texts('ru').setCount, count, 'ru');
  assert.deepEqual([1, 3, 9, 21, 12].map(of), ['1 стикер', '3 стикера', '9 стикеров', '21 стикер', '12 стикеров']);
  assert.equal(plural(texts('en').setCount, 1, 'en'), '1 sticker');
  assert.equal(plural(texts('en').setCount, 9, 'en'), '9 stickers');
  assert.equal(plural(texts('uz').setCount, 9, 'uz'), '9 ta stiker');
});

test('a placeholder without a value stays visible', () => {
  assert.equal(filled('{a} {b}', { a: 1 }), '1 {b}');
});
