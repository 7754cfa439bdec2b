/** The contrast of every pair of colours that carries words or shows where something is, computed from the tokens. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Colour = [red: number, green: number, blue: number, alpha: number];
type Tokens = Map<string, string>;

const sheet = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

/** The custom properties of one block of the sheet. */
function block(selector: string): Tokens {
  const start = sheet.indexOf(`${selector} {`);
  assert.notEqual(start, -1, selector);
  const body = sheet.slice(start, sheet.indexOf('\n}', start));
  return new Map([...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value.trim()]));
}

const light = block(':root');
const themes: Record<string, Tokens> = {
  light,
  'panel dark': new Map([...light, ...block('[data-theme="dark"]')]),
  'dark hall': new Map([...light, ...block('[data-venue="dark"]')]),
};

function colour(tokens: Tokens, name: string): Colour {
  const value = tokens.get(name) ?? '';
  const hex = /^#(\w\w)(\w\w)(\w\w)$/.exec(value);
  if (hex) return [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16), Number.parseInt(hex[3]!, 16), 1];
  const rgb = /^rgb\((\d+) (\d+) (\d+) \/ (\.\d+)\)$/.exec(value);
  assert.ok(rgb, `--${name} is no colour: ${value}`);
  return [Number(rgb[1]), Number(rgb[2]), Number(rgb[3]), Number(rgb[4])];
}

/** Lays a see-through colour over a solid one. */
function over([r, g, b, a]: Colour, under: Colour): Colour {
  const mix = (top: number, bottom: number) => top * a + bottom * (1 - a);
  return [mix(r, under[0]), mix(g, under[1]), mix(b, under[2]), 1];
}

function luminance([r, g, b]: Colour): number {
  const linear = [r, g, b].map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

function ratio(one: Colour, other: Colour): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** Words on fields: 4.5. */
const words: [string, string[]][] = [
  ['ink', ['paper', 'surface', 'sunken', 'saffron-tint', 'anor-tint', 'feruza-tint', 'lilac-tint', 'info-tint']],
  ['ink-2', ['paper', 'surface', 'sunken', 'saffron-tint']],
  ['ink-3', ['surface']],
  ['on-saffron', ['saffron']],
  ['on-anor', ['anor', 'anor-press']],
  ['on-feruza', ['feruza', 'feruza-press']],
  ['link', ['paper', 'surface']],
  ['ok', ['surface', 'ok-tint']],
  ['warn', ['surface', 'warn-tint']],
  ['bad', ['surface', 'bad-tint']],
  ['info', ['surface', 'info-tint']],
];

/** Lines, rings, outlines and large shapes: 3. */
const shapes: [string, string[]][] = [
  ['anor', ['saffron', 'paper']],
  ['line-strong', ['surface', 'paper', 'sunken']],
  ['focus', ['surface', 'paper']],
  ['c1', ['surface']],
  ['c2', ['surface']],
  ['c3', ['surface']],
  ['c4', ['surface']],
  ['feruza-line', ['surface', 'feruza-tint']],
];

/** Words of the chat page, in its two themes. */
const chat: [string, string[]][] = [
  ['ink', ['chat-in', 'chat-own', 'chat-flash']],
  ['ink-2', ['chat-in', 'chat-own']],
  ['link', ['chat-in', 'chat-own', 'feruza-tint']],
  ['c2', ['chat-in']],
  ['c4', ['chat-in']],
];

function check(theme: string, pairs: [string, string[]][], needed: number): void {
  const tokens = themes[theme]!;
  for (const [name, fields] of pairs) {
    for (const field of fields) {
      const found = ratio(colour(tokens, name), colour(tokens, field));
      // The design's table rounds to one decimal, and so does this.
      assert.ok(Math.round(found * 10) / 10 >= needed, `${theme}: ${name} on ${field} is ${found.toFixed(2)}`);
    }
  }
}

for (const theme of Object.keys(themes)) {
  test(`words can be read in the theme "${theme}"`, () => check(theme, words, 4.5));
  test(`lines and shapes can be seen in the theme "${theme}"`, () => check(theme, shapes, 3));
}

for (const theme of ['light', 'panel dark']) {
  test(`words of the chat can be read in the theme "${theme}"`, () => check(theme, chat, 4.5));
  test(`the pills over the chat's field can be read in the theme "${theme}"`, () => {
    const tokens = themes[theme]!;
    for (const field of ['chat-top', 'chat-bottom']) {
      const pill = over(colour(tokens, 'chat-pill'), colour(tokens, field));
      const found = ratio(colour(tokens, 'chat-on-pill'), pill);
      assert.ok(found >= 4.5, `${theme}: pill on ${field} is ${found.toFixed(2)}`);
    }
  });
}

test('the camera outline shows against its edge', () => {
  for (const guide of ['guide-ok', 'guide-wait']) {
    assert.ok(ratio(colour(light, guide), colour(light, 'guide-edge')) >= 3, guide);
  }
});
