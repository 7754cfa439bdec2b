/** The kiosk's decisions as stories: who taps, what the server says, what stands on the screen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keep, shown, step, watched } from './machine/machine.ts';
import { begin, timing, uploadAttempts, type Command, type Event, type Job, type Session, type State } from './machine/model.ts';

const zero = 1_000_000;

/** A tablet with a clock that is moved by hand and a record of what it asked of the outside. */
class Tablet {
  state: State;
  now = zero;
  asked: Command[] = [];

  constructor(kept: Parameters<typeof begin>[1] = null) {
    this.state = begin('ru', kept, this.now);
  }

  hears(...events: Event[]): this {
    for (const event of events) {
      const next = step(this.state, event, this.now);
      this.state = next.state;
      this.asked.push(...next.commands);
    }
    return this;
  }

  waits(ms: number): this {
    for (let left = ms; left > 0; left -= 250) {
      this.now += Math.min(250, left);
      this.hears({ type: 'tick' });
    }
    return this;
  }

  get screen(): string {
    return shown(this.state);
  }

  /** What was asked since the last look. */
  took(): Command[] {
    const taken = this.asked;
    this.asked = [];
    return taken;
  }
}

function session(change: Partial<Session> = {}): Session {
  const bare = { template_id: null, closed_reason: null, notice: null, first_name: null, language: null, job: null };
  return { token: 'tok', status: 'idle', ...bare, ...change };
}

const says = (change: Partial<Session>): Event => ({ type: 'session_changed', session: session(change) });
const opened: Event = { type: 'session_opened', opened: { token: 'tok', deepLink: 'https://t.me/b?start=tok', qrSvg: '<svg/>' } };
const photo = new Blob(['photo']);
const refusal = (code: string): { code: string; notice: null; status: null } => ({ code, notice: null, status: null });
const queuedThird: Job = { status: 'queued', position: 3, eta_seconds: 215 };

const atQr = (): Tablet => new Tablet().hears({ type: 'start_tapped' }, opened);
const atConsent = (): Tablet => atQr().hears(says({ status: 'linked', first_name: 'Лола' }));
const atOutfits = (): Tablet => atConsent().hears(says({ status: 'consented' }));
const chosen = says({ status: 'template_chosen', template_id: 'chapan' });
const atCamera = (): Tablet => atOutfits().hears({ type: 'outfit_tapped', id: 'chapan' }, chosen);
const atCheck = (): Tablet => atCamera().hears({ type: 'photo_taken', photo });
const atSending = (): Tablet => atCheck().hears({ type: 'send_tapped' });
const atQueue = (): Tablet => atSending().hears({ type: 'upload_accepted', job: queuedThird });

test('a guest goes from START to done', () => {
  const tablet = new Tablet();
  assert.equal(tablet.screen, 'attract');
  tablet.hears({ type: 'start_tapped' });
  assert.deepEqual(tablet.took(), [{ type: 'open_session', language: 'ru' }]);
  assert.equal(tablet.hears(opened).screen, 'qr');
  assert.equal(tablet.hears(says({ status: 'linked' })).screen, 'consent');
  assert.equal(tablet.hears(says({ status: 'consented' })).screen, 'outfits');
  tablet.hears({ type: 'outfit_tapped', id: 'chapan' });
  assert.deepEqual(tablet.took(), [{ type: 'choose', token: 'tok', id: 'chapan' }]);
  assert.equal(tablet.hears(chosen).screen, 'camera');
  assert.equal(tablet.hears({ type: 'photo_taken', photo }).screen, 'check');
  assert.equal(tablet.hears({ type: 'send_tapped' }).screen, 'sending');
  assert.deepEqual(tablet.took(), [{ type: 'upload', token: 'tok', photo }]);
  assert.equal(tablet.hears({ type: 'upload_accepted', job: queuedThird }).screen, 'queue');
  tablet.hears(says({ status: 'photo_taken', job: { status: 'done', position: null, eta_seconds: null } }));
  assert.equal(tablet.screen, 'done');
});

test('a second tap on START opens no second session', () => {
  const tablet = new Tablet().hears({ type: 'start_tapped' }, { type: 'start_tapped' });
  assert.equal(tablet.took().length, 1);
});

test('a session that comes when nobody waits for it is given back', () => {
  const tablet = new Tablet().hears(opened);
  assert.equal(tablet.screen, 'attract');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'kiosk_reset' }]);
});

test('a QR that nobody scans for 90 seconds is closed and the start says why', () => {
  const tablet = atQr();
  tablet.took();
  assert.equal(tablet.waits(timing.qr - 250).screen, 'qr');
  tablet.waits(250);
  assert.equal(tablet.screen, 'attract');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'qr_timeout' }]);
  assert.equal(tablet.state.message?.key, 'qr.late');
});

test('the guest is asked at the outfits after 45 seconds and the session ends 15 seconds later', () => {
  const tablet = atOutfits();
  tablet.took();
  tablet.waits(timing.outfitsIdle - 250);
  assert.equal(tablet.state.askingUntil, null);
  tablet.waits(250);
  assert.notEqual(tablet.state.askingUntil, null);
  tablet.waits(timing.question);
  assert.equal(tablet.screen, 'attract');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'idle_timeout' }]);
});

test('a guest who answers the question goes on', () => {
  const tablet = atOutfits().waits(timing.outfitsIdle).hears({ type: 'stay_tapped' });
  assert.equal(tablet.state.askingUntil, null);
  assert.equal(tablet.waits(timing.outfitsIdle - 250).screen, 'outfits');
});

test('a touch puts the question off', () => {
  const tablet = atOutfits().waits(40_000).hears({ type: 'touched' }).waits(40_000);
  assert.equal(tablet.state.askingUntil, null);
});

test('cancel closes the session from every step before the photo', () => {
  for (const at of [atQr, atConsent, atOutfits, atCamera, atCheck]) {
    const tablet = at();
    tablet.took();
    tablet.hears({ type: 'cancel_tapped' });
    assert.equal(tablet.screen, 'attract');
    assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'cancel' }]);
  }
});

test('nothing of the last guest is left when the start comes back', () => {
  const tablet = atCheck().hears({ type: 'cancel_tapped' });
  assert.equal(tablet.state.photo, null);
  assert.equal(tablet.state.session, null);
  assert.equal(keep(tablet.state), null);
});

test('staff taps reset a guest, and open the set-up page where nobody is', () => {
  const tablet = atOutfits();
  tablet.took();
  tablet.hears({ type: 'staff_tapped' });
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'staff_reset' }]);
  assert.equal(tablet.screen, 'attract');
  assert.equal(tablet.hears({ type: 'staff_tapped' }).screen, 'setup');
  assert.equal(tablet.hears({ type: 'setup_closed' }).screen, 'attract');
});

test('a camera that fails closes the session and calls staff', () => {
  const tablet = atCamera();
  tablet.took();
  tablet.hears({ type: 'camera_failed', fault: 'denied' });
  assert.equal(tablet.screen, 'problem');
  assert.deepEqual(tablet.took(), [{ type: 'expire', token: 'tok', reason: 'camera_error' }]);
  assert.equal(tablet.waits(timing.problemShown).screen, 'attract');
});

test('the photo can be taken again once', () => {
  const tablet = atCheck().hears({ type: 'retake_tapped' });
  assert.equal(tablet.screen, 'camera');
  assert.equal(tablet.state.photo, null);
  tablet.hears({ type: 'photo_taken', photo }, { type: 'retake_tapped' });
  assert.equal(tablet.screen, 'check');
});

test('a photo without an answer for 20 seconds is sent', () => {
  const tablet = atCheck();
  assert.equal(tablet.waits(timing.checkAnswer - 250).screen, 'check');
  assert.equal(tablet.waits(250).screen, 'sending');
});

test('another outfit can be chosen from the camera, and the old choice does not pull the guest back', () => {
  const tablet = atCamera().hears({ type: 'other_outfit_tapped' });
  assert.equal(tablet.hears(chosen).screen, 'outfits');
  tablet.hears({ type: 'outfit_tapped', id: 'chef' }, chosen);
  assert.equal(tablet.screen, 'outfits');
  assert.equal(tablet.hears(says({ status: 'template_chosen', template_id: 'chef' })).screen, 'camera');
});

test('a second outfit tapped before the answer is not sent', () => {
  const tablet = atOutfits();
  tablet.took();
  tablet.hears({ type: 'outfit_tapped', id: 'chef' }, { type: 'outfit_tapped', id: 'chapan' });
  assert.equal(tablet.took().length, 1);
});

test('a refused photo brings the guest back to the camera with what to do', () => {
  for (const code of ['no_face', 'several_faces', 'too_small', 'too_large', 'heic', 'not_an_image', '413']) {
    const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal(code) });
    assert.equal(tablet.screen, 'camera');
    assert.equal(tablet.state.message?.key, `refuse.${code}`);
    assert.equal(tablet.state.photo, null);
  }
});

test('a code without a sentence is never shown bare', () => {
  const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal('disk_on_fire') });
  assert.equal(tablet.state.message?.key, 'refuse.try_again');
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

test('the tablet is free 20 seconds after the place is shown, or at the button', () => {
  const tablet = atQueue();
  assert.equal(tablet.waits(timing.queueShown - 250).screen, 'queue');
  assert.equal(tablet.waits(250).screen, 'attract');
  assert.equal(atQueue().hears({ type: 'leave_tapped' }).screen, 'attract');
});

test('leaving the queue closes nothing, for the job goes on', () => {
  const tablet = atQueue();
  tablet.took();
  tablet.hears({ type: 'leave_tapped' });
  assert.deepEqual(tablet.took(), []);
});

test('the wait in words changes at most every ten seconds', () => {
  const tablet = atQueue();
  const wait = (): number | null => (tablet.state.screen.name === 'queue' ? tablet.state.screen.wait : null);
  assert.equal(wait(), 4);
  tablet.hears(says({ status: 'photo_taken', job: { ...queuedThird, eta_seconds: 100 } })).waits(5_000);
  assert.equal(wait(), 4);
  tablet.waits(5_000);
  assert.equal(wait(), 2);
});

test('done is shown for eight seconds', () => {
  const tablet = atQueue().hears(says({ status: 'photo_taken', job: { status: 'done', position: null, eta_seconds: null } }));
  assert.equal(tablet.waits(timing.doneShown - 250).screen, 'done');
  assert.equal(tablet.waits(250).screen, 'attract');
});

test('a failed job is told as it is', () => {
  const tablet = atQueue().hears(says({ status: 'photo_taken', job: { status: 'failed', position: null, eta_seconds: null } }));
  assert.equal(tablet.screen, 'failed');
});

test('a guest with a pack is told so at every place where the limit is found', () => {
  const atStart = atQr().hears(says({ status: 'expired', notice: 'pack_ready' }));
  assert.equal(atStart.screen, 'ready');
  const limit = { code: 'pack_limit', notice: 'pack_in_progress', status: null } as const;
  assert.equal(atOutfits().hears({ type: 'outfit_tapped', id: 'chef' }, { type: 'outfit_refused', refusal: limit }).screen, 'progress');
  assert.equal(atSending().hears({ type: 'upload_refused', refusal: limit }).screen, 'progress');
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

test('the guest language takes over once, after that only the switch changes it', () => {
  const tablet = atQr().hears(says({ status: 'linked', language: 'uz' }));
  assert.equal(tablet.state.language, 'uz');
  tablet.hears({ type: 'language_tapped', language: 'en' }, says({ status: 'consented', language: 'uz' }));
  assert.equal(tablet.state.language, 'en');
  assert.equal(tablet.hears({ type: 'cancel_tapped' }).state.language, 'ru');
});

test('the start speaks the house language again when nobody is there', () => {
  const tablet = new Tablet().hears({ type: 'language_tapped', language: 'en' });
  assert.equal(tablet.waits(10_000).state.language, 'en');
  assert.equal(tablet.waits(timing.renewAfter).state.language, 'ru');
});

test('consent taken back on the phone brings the guest back to the phone', () => {
  assert.equal(atOutfits().hears(says({ status: 'linked' })).screen, 'consent');
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

test('a message goes by itself', () => {
  const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal('no_face') });
  assert.equal(tablet.waits(timing.messageShown).state.message, null);
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
