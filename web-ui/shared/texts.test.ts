/** The three languages stand side by side: same keys, same placeholders, each in its own letters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTextKey, languages, say, texts, type Text, type TextKey } from './texts/index.ts';

const keys = Object.keys(texts.ru) as TextKey[];

/** Words that are the same in two languages by nature: names, times, the switch itself. */
const sameInAll = new Set<TextKey>(['lang', 'setup.camera_size']);

function sentences(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

function placeholders(text: Text): string[] {
  const found = sentences(text).flatMap((sentence) => [...sentence.matchAll(/\{(\w+)\}/g)].map((hit) => hit[1] ?? ''));
  return [...new Set(found)].sort();
}

test('every language has the same keys', () => {
  for (const language of languages) assert.deepEqual(Object.keys(texts[language]).sort(), [...keys].sort(), language);
});

test('every language fills the same placeholders', () => {
  for (const key of keys) {
    for (const language of languages) {
      assert.deepEqual(placeholders(texts[language][key]), placeholders(texts.ru[key]), `${key} in ${language}`);
    }
  }
});

test('only Russian has Cyrillic letters', () => {
  for (const key of keys) {
    for (const language of ['uz', 'en'] as const) {
      for (const sentence of sentences(texts[language][key])) assert.doesNotMatch(sentence, /\p{Script=Cyrillic}/u, key);
    }
  }
});

test('Russian has no English words but the names of things', () => {
  for (const key of keys) {
    for (const sentence of sentences(texts.ru[key])) {
      const bare = sentence.replace(/\{\w+\}/g, '').replace(/Telegram|QR/g, '');
      assert.doesNotMatch(bare, /\p{Script=Latin}/u, key);
    }
  }
});

test('Uzbek differs from Russian and from English', () => {
  for (const key of keys) {
    if (sameInAll.has(key)) continue;
    assert.notDeepEqual(texts.uz[key], texts.ru[key], key);
    assert.notDeepEqual(texts.uz[key], texts.en[key], key);
  }
});

test('Uzbek writes its letters with U+02BB and U+02BC, never with a straight or curly quote', () => {
  for (const key of keys) for (const sentence of sentences(texts.uz[key])) assert.doesNotMatch(sentence, /['‘’`]/, key);
});

test('bad news has no exclamation mark', () => {
  for (const key of keys.filter((name) => name.startsWith('refuse.') || name.startsWith('off.'))) {
    for (const language of languages) {
      for (const sentence of sentences(texts[language][key])) assert.doesNotMatch(sentence, /!/, `${key} in ${language}`);
    }
  }
});

test('no sentence is empty or has a space at an end', () => {
  for (const language of languages) {
    for (const key of keys) {
      for (const sentence of sentences(texts[language][key])) {
        assert.ok(sentence.length > 0 && sentence === sentence.trim(), `${key} in ${language}`);
      }
    }
  }
});

test('the number chooses the plural form', () => {
  assert.equal(say('en', 'queue.wait', { minutes: 1 }), 'About 1 minute');
  assert.equal(say('en', 'queue.wait', { minutes: 4 }), 'About 4 minutes');
  assert.equal(say('uz', 'queue.wait', { minutes: 4 }), 'Taxminan 4 daqiqa');
});

test('a placeholder without a value stays visible', () => {
  assert.equal(say('ru', 'queue.title', { place: 3 }), 'Твоё место в очереди: 3');
  assert.equal(say('ru', 'queue.title'), 'Твоё место в очереди: {place}');
});

test('a name built from a code is known only when there is a sentence for it', () => {
  assert.ok(isTextKey('refuse.no_face'));
  assert.ok(!isTextKey('refuse.toString'));
});
