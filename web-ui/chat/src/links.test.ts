import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Route, addressOf, inside, route, safe, targetOf } from './links.ts';

const here = new URL('http://127.0.0.1:8081/chat?person=1&chat=2');
const read = (address: string): Route => route(new URL(address, here));

test('the four addresses of the page are told apart', () => {
  assert.deepEqual(read('/stickers_sim_bot?start=Ab-_9'), { kind: 'start', bot: 'stickers_sim_bot', payload: 'Ab-_9' });
  assert.deepEqual(read('/chat?person=7&chat=8'), { kind: 'chat', person: 7, chat: 8, group: null });
  assert.deepEqual(read('/chat?group=-100500'), { kind: 'chat', person: null, chat: null, group: -100500 });
  assert.deepEqual(read('/addstickers/madina_by_bot'), { kind: 'set', name: 'madina_by_bot' });
});

test('a payload that Telegram would not carry is no payload', () => {
  for (const payload of ['', 'a b', 'ы', 'a'.repeat(65), 'a/b']) {
    const found = read(`/some_bot?start=${encodeURIComponent(payload)}`);
    assert.deepEqual(found, { kind: 'start', bot: 'some_bot', payload: null }, payload);
  }
  assert.equal((read(`/some_bot?start=${'a'.repeat(64)}`) as { payload: string }).payload.length, 64);
});

test('odd numbers and broken escapes do no harm', () => {
  assert.deepEqual(read('/chat?person=x&chat=1.5'), { kind: 'chat', person: null, chat: null, group: null });
  assert.deepEqual(read('/addstickers/%E0%A4%A'), { kind: 'set', name: '%E0%A4%A' });
});

test('an address reads back as the route it was made from', () => {
  const routes: Route[] = [
    { kind: 'start', bot: 'stickers_sim_bot', payload: 'abc' },
    { kind: 'start', bot: 'stickers_sim_bot', payload: null },
    { kind: 'chat', person: 5, chat: 6, group: null },
    { kind: 'chat', person: null, chat: null, group: -7 },
    { kind: 'set', name: 'a_by_b' },
  ];
  for (const one of routes) {
    assert.deepEqual(read(addressOf(one)), one);
  }
});

test("pack and start links open inside the page, on our address and on Telegram's", () => {
  assert.deepEqual(inside('/addstickers/a_by_bot', here), { kind: 'set', name: 'a_by_bot' });
  assert.deepEqual(inside('https://t.me/addstickers/a_by_bot', here), { kind: 'set', name: 'a_by_bot' });
  assert.deepEqual(inside('t.me/stickers_bot?start=x', here), { kind: 'start', bot: 'stickers_bot', payload: 'x' });
});

test('the computer may be called by any of its own names', () => {
  assert.deepEqual(inside('http://localhost:8081/addstickers/a', here), { kind: 'set', name: 'a' });
  assert.equal(inside('http://localhost:8080/addstickers/a', here), null);
  assert.equal(inside('http://192.168.1.5:8081/addstickers/a', here), null);
});

test('other links lead out, also those of our own address', () => {
  for (const link of ['https://example.org/addstickers/a', '/chat?group=1', '/sim/people', '/admin', '', 'http://']) {
    assert.equal(inside(link, here), null, link);
  }
});

test('only addresses of the web, mail and telephone are followed', () => {
  assert.equal(safe('example.org/a', here), 'https://example.org/a');
  assert.equal(safe('mailto:a@example.org', here), 'mailto:a@example.org');
  assert.equal(safe('tel:+998901234567', here), 'tel:+998901234567');
  for (const link of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', ' javascript:alert(1)']) {
    assert.equal(safe(link, here)?.startsWith('https://') ?? true, true, link);
  }
});

test('a start link means the bot of that name, whatever the case of its letters', () => {
  const bots = [{ id: 5, username: 'Stickers_Sim_Bot', first_name: 'S' }];
  const person = { id: 1, first_name: 'M', chats: [{ id: -9, type: 'group', title: 'G' }] };
  assert.equal(targetOf({ kind: 'start', bot: 'stickers_sim_bot', payload: null }, person, bots), 5);
  assert.equal(targetOf({ kind: 'start', bot: 'other_bot', payload: null }, person, bots), null);
  assert.equal(targetOf({ kind: 'chat', person: 1, chat: null, group: -9 }, person, bots), -9);
  assert.equal(targetOf({ kind: 'set', name: 'x' }, person, bots), 5);
  assert.equal(targetOf({ kind: 'set', name: 'x' }, person, []), -9);
});
