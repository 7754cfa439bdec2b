/** The kiosk's decisions as stories: who taps, what the server says, what stands on the screen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keep } from './machine/machine.ts';
import { timing } from './machine/model.ts';
import {
  Tablet,
  says,
  opened,
  photo,
  refusal,
  queuedThird,
  atQr,
  atConsent,
  atOutfits,
  chosen,
  atCamera,
  atCheck,
  atSending,
  atQueue,
} from './testing/tablet.ts';

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

test('a message goes by itself', () => {
  const tablet = atSending().hears({ type: 'upload_refused', refusal: refusal('no_face') });
  assert.equal(tablet.waits(timing.messageShown).state.message, null);
});
