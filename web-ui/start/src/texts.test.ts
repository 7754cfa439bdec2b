import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, TEXTS, languageOf, type Texts } from './texts.ts';

test('the three languages have the same keys, each with words', () => {
  for (const language of LANGUAGES) {
    assert.deepEqual(Object.keys(TEXTS[language]).sort(), Object.keys(TEXTS.ru).sort(), language);
    for (const [key, text] of Object.entries(TEXTS[language])) {
      assert.notEqual(text.trim(), '', `${language} ${key}`);
    }
  }
});

test('no Russian letter stands in an English or Uzbek text, and Uzbek has its own apostrophe letters', () => {
  for (const language of ['en', 'uz'] as const) {
    for (const [key, text] of Object.entries(TEXTS[language])) {
      assert.doesNotMatch(text, /\p{Script=Cyrillic}/u, `${language} ${key}`);
    }
  }
  for (const [key, text] of Object.entries(TEXTS.uz)) {
    assert.doesNotMatch(text, /['’‘`]/u, key);
  }
});

test('Uzbek differs from Russian and from English in every text', () => {
  for (const key of Object.keys(TEXTS.ru) as (keyof Texts)[]) {
    assert.notEqual(TEXTS.uz[key], TEXTS.ru[key], key);
    assert.notEqual(TEXTS.uz[key], TEXTS.en[key], key);
  }
});

test('a language code finds its language, and an unknown one English', () => {
  assert.equal(languageOf('uz'), 'uz');
  assert.equal(languageOf('ru-RU'), 'ru');
  assert.equal(languageOf('fr'), 'en');
  assert.equal(languageOf(null), 'en');
});
