/** The small pure parts: hints, crops, taps, names, times, what is stored. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSession } from './effects/api.ts';
import { crop, fitWithin } from './effects/crop.ts';
import { readFragment, remember, type Box } from './effects/memory.ts';
import { canShoot, firstHint, hintTiming, nextHint } from './machine/hint.ts';
import { countTap } from './parts/staff.ts';
import { moodUrl, parade, stickerUrl } from './stickers.ts';

const ok = { ok: true, hint: null };
const dark = { ok: false, hint: 'dark' };

test('the outline turns with the answer, and the shutter with it', () => {
  const first = firstHint(0);
  assert.equal(canShoot(first, 0), false);
  const good = nextHint(first, ok, 400);
  assert.equal(good.look, 'ok');
  assert.ok(canShoot(good, 400));
  const bad = nextHint(good, dark, 1_200);
  assert.equal(bad.key, 'cam.dark');
  assert.equal(canShoot(bad, 1_200), false);
});

test('the chip holds still for 800 ms', () => {
  const good = nextHint(firstHint(0), ok, 400);
  assert.equal(nextHint(good, dark, 400 + hintTiming.hold - 1).look, 'ok');
  assert.equal(nextHint(good, dark, 400 + hintTiming.hold).look, 'wait');
});

test('two seconds of silence make it unknown and open the shutter', () => {
  const bad = nextHint(firstHint(0), dark, 400);
  const silent = nextHint(bad, null, 400 + hintTiming.silence);
  assert.equal(silent.look, 'unknown');
  assert.ok(canShoot(silent, 400 + hintTiming.silence));
  assert.equal(nextHint(bad, null, 400 + hintTiming.silence - 1).look, 'wait');
});

test('after 15 seconds the shutter is open whatever the hints say', () => {
  const bad = nextHint(firstHint(0), dark, hintTiming.shutter);
  assert.equal(bad.look, 'wait');
  assert.ok(canShoot(bad, hintTiming.shutter));
});

test('a hint that nobody knows asks to look at the camera', () => {
  assert.equal(nextHint(firstHint(0), { ok: false, hint: 'sneeze' }, 900).key, 'cam.no_face');
});

test('the photo is the part of the picture that the preview shows', () => {
  const part = crop({ width: 1920, height: 1080 }, { width: 900, height: 1100 });
  assert.deepEqual(part, { x: 518, y: 0, width: 884, height: 1080 });
});

test('a crop that would be refused as too small grows', () => {
  const part = crop({ width: 640, height: 480 }, { width: 500, height: 1000 });
  assert.ok(part.width >= 480 && part.height === 480);
  assert.ok(part.x >= 0 && part.x + part.width <= 640);
});

test('a photo is made smaller, never larger', () => {
  assert.deepEqual(fitWithin({ width: 3200, height: 1600 }, 1600), { width: 1600, height: 800 });
  assert.deepEqual(fitWithin({ width: 600, height: 500 }, 1600), { width: 600, height: 500 });
});

test('the fifth tap within three seconds counts, slower ones do not', () => {
  const fast = [0, 500, 1_000, 1_500].reduce<number[]>(countTap, []);
  assert.deepEqual(countTap(fast, 2_000), []);
  const slow = [0, 1_000, 2_000, 3_000].reduce<number[]>(countTap, []);
  assert.notDeepEqual(countTap(slow, 4_000), []);
});

test('stickers of the start screen are different and belong to the outfits', () => {
  const titles = { ru: '', uz: '', en: '' };
  const templates = ['a', 'b'].map((id) => ({ id, titles, previewUrl: `/templates/${id}/stickers/0.webp`, stickers: 9 }));
  const urls = parade(templates, 'ru');
  assert.ok(urls.length >= 10);
  assert.equal(new Set(urls).size, urls.length);
  assert.equal(stickerUrl({ ...templates[0]!, id: 'ä/b' }, 3, 'uz'), '/templates/%C3%A4%2Fb/stickers/3.webp?lang=uz');
});

test('a screen gets the sticker it means, or one of the first outfit, or none', () => {
  const outfit = (id: string, stickers: number) => ({ id, titles: { ru: '', uz: '', en: '' }, previewUrl: '', stickers });
  assert.equal(moodUrl([outfit('chef', 9), outfit('chapan', 9)], 'asleep', 'en'), '/templates/chapan/stickers/5.webp?lang=en');
  assert.equal(moodUrl([outfit('chef', 3)], 'asleep', 'ru'), '/templates/chef/stickers/0.webp?lang=ru');
  assert.equal(moodUrl([], 'asleep', 'ru'), null);
});

function box(values: Record<string, string> = {}): Box & { values: Record<string, string> } {
  return {
    values,
    getItem: (name) => values[name] ?? null,
    setItem: (name, value) => void (values[name] = value),
    removeItem: (name) => void delete values[name],
  };
}

test('a tablet keeps the name that it gave itself', () => {
  const store = box();
  let names = 0;
  const name = remember(store, () => `tablet-${(names += 1)}`).kiosk();
  assert.equal(remember(store, () => 'another').kiosk(), name);
});

test('a damaged store is as good as an empty one', () => {
  assert.equal(remember(box({ 'kiosk.session': '{"tok' }), () => 't').kept(), null);
  assert.equal(remember(box({ 'kiosk.session': '{"token":7}' }), () => 't').kept(), null);
  assert.equal(remember(box({ 'kiosk.language': 'xx' }), () => 't').language(), 'ru');
});

test('a browser that refuses storage costs the memory, not the kiosk', () => {
  const refuse = (): never => {
    throw new Error('denied');
  };
  const memory = remember({ getItem: refuse, setItem: refuse, removeItem: refuse }, () => 'tablet-1');
  memory.setKept({ token: 't', demo: false, qr: null });
  assert.equal(memory.kiosk(), 'tablet-1');
  assert.equal(memory.kept(), null);
});

test('key, name and set-up are read from the address', () => {
  assert.deepEqual(readFragment('#key=abc&kiosk=Вход-1'), { key: 'abc', kiosk: 'Вход-1', setup: false });
  assert.deepEqual(readFragment('#setup'), { key: null, kiosk: null, setup: true });
  assert.deepEqual(readFragment(''), { key: null, kiosk: null, setup: false });
});

test('a session of an unknown shape is refused, an unknown language is none', () => {
  assert.throws(() => readSession({ token: 't', status: 'flying' }));
  assert.throws(() => readSession(null));
  assert.equal(readSession({ token: 't', status: 'linked', language: 'kk' }).language, null);
});
