/** What the kiosk does when something is missing: the network, the house in a break, the session, the page itself. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keep, watched } from './machine/machine.ts';
import { timing, uploadAttempts, type Event } from './machine/model.ts';
import {
  Tablet,
  says,
  session,
  opened,
  photo,
  refusal,
  queuedThird,
  atQr,
  atConsent,
  atOutfits,
  atCamera,
  atCheck,
  atSending,
  atQueue,
  zero,
} from './testing/tablet.ts';

test('a session that comes when nobody waits for it is given back', () => {
  const tablet = new Tablet().hears(opened);
  assert.equal(tablet.screen, 'attract');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'kiosk_reset' }]);
});

test('an upload whose answer was lost is found again, not repeated as a second job', () => {
  const tablet = atSending();
  tablet.took();
  tablet.hears({ type: 'upload_refused', refusal: { code: 'wrong_status', notice: null, status: 'photo_taken' } });
  assert.deepEqual(tablet.took(), [{ type: 'look', token: 'tok' }]);
  assert.equal(tablet.hears(says({ status: 'photo_taken', job: queuedThird })).screen, 'queue');
});

test('a lost network keeps the photo and sends it again with the same session', () => {
  const tablet = atSending();
  tablet.took();
  tablet.hears({ type: 'network_lost' }).waits(timing.offlineShown);
  assert.equal(tablet.screen, 'offline');
  tablet.hears({ type: 'network_back' });
  assert.equal(tablet.screen, 'sending');
  assert.deepEqual(tablet.took().filter((command) => command.type === 'upload'), [{ type: 'upload', token: 'tok', photo }]);
});

test('attempts to send are limited', () => {
  const tablet = atSending();
  for (let round = 0; round < uploadAttempts; round += 1) tablet.hears({ type: 'network_lost' }, { type: 'network_back' });
  assert.equal(tablet.screen, 'camera');
  assert.equal(tablet.took().filter((command) => command.type === 'upload').length, uploadAttempts);
});

test('without a network the guest keeps the screen as long as something can be done on it', () => {
  for (const at of [atQr, atConsent, atOutfits, atCamera, atCheck, atQueue]) {
    const tablet = at().hears({ type: 'network_lost' });
    const before = tablet.state.screen.name;
    assert.equal(tablet.waits(5_000).screen, before);
  }
});

test('START without a network waits and goes on by itself', () => {
  const tablet = new Tablet().hears({ type: 'start_tapped' }, { type: 'network_lost' });
  assert.equal(tablet.screen, 'offline');
  tablet.took();
  tablet.hears({ type: 'network_back' });
  assert.ok(tablet.took().some((command) => command.type === 'open_session'));
});

test('an outfit tapped without a network is chosen when it is back', () => {
  const tablet = atOutfits().hears({ type: 'outfit_tapped', id: 'chef' }, { type: 'network_lost' });
  tablet.took();
  tablet.hears({ type: 'network_back' });
  assert.deepEqual(tablet.took()[0], { type: 'choose', token: 'tok', id: 'chef' });
});

test('nobody is asked and nobody is sent away while the network is lost', () => {
  const tablet = atOutfits().hears({ type: 'network_lost' }).waits(timing.outfitsIdle * 2);
  assert.equal(tablet.screen, 'outfits');
  assert.equal(tablet.state.askingUntil, null);
});

test('a break at START is shown and ends by itself', () => {
  const tablet = new Tablet().hears({ type: 'start_tapped' }, { type: 'start_refused', refusal: refusal('maintenance') });
  assert.equal(tablet.screen, 'break');
  assert.equal(tablet.hears({ type: 'maintenance_seen', on: false }).screen, 'attract');
});

test('a break while sending keeps the photo and sends it afterwards', () => {
  const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal('maintenance') });
  assert.equal(tablet.screen, 'break');
  tablet.took();
  tablet.hears({ type: 'maintenance_seen', on: false });
  assert.deepEqual(tablet.took(), [{ type: 'upload', token: 'tok', photo }]);
});

test('a guest who left during a long break leaves nothing behind', () => {
  const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal('maintenance') });
  tablet.waits(timing.breakHeld);
  assert.equal(tablet.screen, 'break');
  assert.equal(tablet.state.photo, null);
  assert.equal(tablet.state.session, null);
});

test('a break does not interrupt a guest in the middle', () => {
  assert.equal(atCamera().hears({ type: 'maintenance_seen', on: true }).screen, 'camera');
  assert.equal(new Tablet().hears({ type: 'maintenance_seen', on: true }).screen, 'break');
});

test('a session that the server closed goes back to the start with a word', () => {
  const tablet = atOutfits().hears(says({ status: 'expired', closed_reason: 'idle_timeout' }));
  assert.equal(tablet.screen, 'attract');
  assert.equal(tablet.state.message?.key, 'refuse.unknown_session');
});

test('an unknown session starts over', () => {
  const tablet = atOutfits().hears({ type: 'session_unknown', token: 'tok' });
  assert.equal(tablet.screen, 'attract');
  assert.equal(tablet.state.message?.key, 'refuse.unknown_session');
});

test('news of another session changes nothing', () => {
  const tablet = atOutfits().hears({ type: 'session_changed', session: { ...session({ status: 'linked' }), token: 'other' } });
  assert.equal(tablet.screen, 'outfits');
  assert.equal(tablet.hears({ type: 'session_unknown', token: 'other' }).screen, 'outfits');
});

test('a reload comes back to the step where the guest was', () => {
  const kept = keep(atOutfits().state);
  const steps = [
    ['linked', 'consent'],
    ['consented', 'outfits'],
    ['template_chosen', 'camera'],
  ] as const;
  for (const [status, screen] of steps) {
    const tablet = new Tablet(kept);
    assert.equal(watched(tablet.state), 'tok');
    assert.equal(tablet.hears(says({ status, template_id: 'chapan' })).screen, screen);
  }
  assert.equal(new Tablet(kept).hears(says({ status: 'photo_taken', job: queuedThird })).screen, 'queue');
});

test('a reload at the QR shows the same QR for the time that is left', () => {
  const kept = keep(atQr().state);
  const tablet = new Tablet(kept);
  tablet.now += 60_000;
  assert.equal(tablet.hears(says({ status: 'idle' })).screen, 'qr');
  assert.equal(tablet.waits(timing.qr - 60_000).screen, 'attract');
});

test('a reload after the QR ran out closes the session', () => {
  const tablet = new Tablet({ token: 'tok', demo: false, qr: { svg: '<svg/>', link: '', until: zero - 1 } });
  assert.equal(tablet.hears(says({ status: 'idle' })).screen, 'attract');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'qr_timeout' }]);
});

test('what outlives a reload has no name and no photo', () => {
  const kept = JSON.stringify(keep(atCheck().state));
  assert.equal(kept, JSON.stringify({ token: 'tok', demo: false, qr: null }));
});

test('a newer page comes only while nobody is there', () => {
  const config = (version: string): Event => ({ type: 'config_loaded', config: { eventName: '', brandName: '', version } });
  const busy = atOutfits().hears(config('1'), config('2')).waits(20_000);
  assert.ok(!busy.took().some((command) => command.type === 'reload_page'));
  const idle = new Tablet().hears(config('1'), config('2')).waits(timing.renewAfter);
  assert.ok(idle.took().some((command) => command.type === 'reload_page'));
});

test('a key that is not good is said at the start', () => {
  const tablet = new Tablet().hears({ type: 'start_tapped' }, { type: 'start_refused', refusal: refusal('kiosk_key') });
  assert.equal(tablet.state.message?.key, 'refuse.kiosk_key');
  assert.equal(tablet.hears({ type: 'start_tapped' }).took().length, 2);
});

test('an outfit that is gone is told and the outfits are read again', () => {
  const tablet = atOutfits().hears({ type: 'outfit_tapped', id: 'chef' });
  tablet.took();
  tablet.hears({ type: 'outfit_refused', refusal: refusal('unknown_template') });
  assert.equal(tablet.state.message?.key, 'refuse.unknown_template');
  assert.deepEqual(tablet.took(), [{ type: 'load_templates' }]);
});

test('in the demo a camera that fails keeps the guest at the camera, where a file can be taken', () => {
  const link = 'http://localhost:8081/bot?start=tok';
  const tablet = new Tablet().hears({ type: 'start_tapped' }, { type: 'session_opened', opened: { token: 'tok', deepLink: link, qrSvg: '' } });
  tablet.hears(says({ status: 'template_chosen', template_id: 'chef' }), { type: 'camera_failed', fault: 'camera' });
  assert.equal(tablet.screen, 'camera');
  assert.equal(tablet.hears({ type: 'photo_taken', photo }).screen, 'check');
});

test('a link to Telegram is no demo', () => {
  assert.equal(atQr().state.demo, false);
});
