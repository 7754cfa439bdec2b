/** The style sheets keep the house rules: colours from the tokens, every movement can be switched off. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, 'styles');
const sheets = readdirSync(folder).map((name) => ({ name, css: readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '') }));

test('no sheet has a colour of its own', () => {
  for (const { name, css } of sheets) {
    assert.doesNotMatch(css, /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|:\s*(?:white|black|grey|gray)\b/i, name);
  }
});

test('only tokens that exist are used', () => {
  const tokens = readFileSync(join(import.meta.dirname, '../../shared/tokens.css'), 'utf8');
  const all = tokens + sheets.map(({ css }) => css).join('') + readFileSync(join(import.meta.dirname, 'parts/confetti.tsx'), 'utf8');
  const known = new Set([...all.matchAll(/(--[a-z0-9-]+)['"]?\s*[:,]/g)].map((hit) => hit[1]));
  for (const { name, css } of sheets) {
    for (const [, used] of css.matchAll(/var\((--[a-z0-9-]+)\)/g)) assert.ok(known.has(used), `${name}: ${used}`);
  }
});

test('every movement that goes on by itself stops for those who want stillness', () => {
  for (const { name, css } of sheets) {
    if (!/animation:[^;]*infinite/.test(css)) continue;
    assert.match(css, /prefers-reduced-motion: reduce\)\s*\{[\s\S]*animation: none/, name);
  }
});

test('the page has no inline style or script', () => {
  const page = readFileSync(join(import.meta.dirname, '../index.html'), 'utf8');
  assert.doesNotMatch(page, /\sstyle=|<style|<script(?![^>]*\ssrc=)/);
});
