import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clock, day, dayName, fileSize } from './time.ts';

const ZONE = 'Asia/Tashkent';
const words = { today: 'Сегодня', yesterday: 'Вчера' };
/** 29 November 2026, 21:05 in Tashkent. */
const NOW = Date.UTC(2026, 10, 29, 16, 5) / 1000;

test('a time has 24 hours and two digits, in the zone of the reader', () => {
  assert.equal(clock(NOW, ZONE), '21:05');
  assert.equal(clock(Date.UTC(2026, 10, 29, 19, 3) / 1000, ZONE), '00:03');
});

test("a day begins at midnight of the reader's zone", () => {
  const before = Date.UTC(2026, 10, 29, 18, 59) / 1000;
  assert.equal(day(before, ZONE), '2026-11-29');
  assert.equal(day(before + 60, ZONE), '2026-11-30');
});

test('today and yesterday have names, also across a change of the clock', () => {
  assert.equal(dayName(NOW - 3600, NOW, 'ru', words, ZONE), 'Сегодня');
  assert.equal(dayName(NOW - 24 * 3600, NOW, 'ru', words, ZONE), 'Вчера');
  // In Berlin this day has 25 hours.
  const longDay = Date.UTC(2026, 9, 25, 22, 30) / 1000;
  assert.equal(dayName(longDay - 24.25 * 3600, longDay, 'ru', words, 'Europe/Berlin'), 'Сегодня');
  assert.equal(dayName(longDay - 25 * 3600, longDay, 'ru', words, 'Europe/Berlin'), 'Вчера');
});

test('older days are written out in the three languages, with the year only when it is another', () => {
  const june = Date.UTC(2026, 5, 3, 12) / 1000;
  const lastYear = Date.UTC(2025, 5, 3, 12) / 1000;
  assert.equal(dayName(june, NOW, 'ru', words, ZONE), '3 июня');
  assert.equal(dayName(june, NOW, 'uz', words, ZONE), '3-iyun');
  assert.equal(dayName(june, NOW, 'en', words, ZONE), '3 June');
  assert.match(dayName(lastYear, NOW, 'ru', words, ZONE), /^3 июня 2025/);
  assert.equal(dayName(lastYear, NOW, 'uz', words, ZONE), '2025-yil 3-iyun');
  assert.equal(dayName(lastYear, NOW, 'en', words, ZONE), '3 June 2025');
});

test('file sizes are short and speak the language', () => {
  assert.equal(fileSize(900, 'ru'), '900 Б');
  assert.equal(fileSize(1536, 'ru'), '1,5 КБ');
  assert.equal(fileSize(3 * 1024 * 1024, 'en'), '3 MB');
});
