import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOORS, demoOf, stickerOf } from './demo.ts';

const answer = {
  kiosk_url: 'http://127.0.0.1:8080/kiosk',
  guest_url: 'http://127.0.0.1:8081/chat',
  group_url: null,
  admin_url: '/admin',
  admin_login: 'demo',
  admin_password: 'stickers',
  landing_url: null,
  data_dir: '/tmp/demo',
  version: '0.1.0',
  stickers: ['/s/1.webp', '/s/2.webp'],
};

test('the answer of the program becomes five doors, closed where there is no address', () => {
  const demo = demoOf(answer);
  assert.deepEqual(demo.urls, {
    kiosk: answer.kiosk_url,
    guest: answer.guest_url,
    group: null,
    admin: '/admin',
    landing: null,
  });
  assert.equal(demo.dataDir, '/tmp/demo');
  assert.deepEqual(demo.admin, { login: 'demo', password: 'stickers' });
  assert.equal(demoOf({ ...answer, admin_password: '' }).admin, null);
});

test('whatever comes, the page has something to show', () => {
  for (const odd of [null, 5, 'x', [], {}, { stickers: 'x', kiosk_url: 7 }]) {
    const demo = demoOf(odd);
    assert.deepEqual(Object.values(demo.urls), [null, null, null, null, null]);
    assert.deepEqual(demo.stickers, []);
  }
});

test('an address that would run code is no door', () => {
  for (const url of ['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'kiosk']) {
    assert.equal(demoOf({ ...answer, kiosk_url: url }).urls.kiosk, null, url);
  }
});

test('doors share the stickers there are, and draw their own when there is none', () => {
  const demo = demoOf(answer);
  assert.deepEqual(
    DOORS.map((door) => stickerOf(demo, door)),
    ['/s/1.webp', '/s/2.webp', '/s/1.webp', '/s/2.webp', '/s/1.webp'],
  );
  assert.equal(stickerOf(demoOf({}), 'kiosk'), null);
  assert.equal(stickerOf(null, 'kiosk'), null);
});
