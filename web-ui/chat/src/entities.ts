/**
 * Turns a text and its entities into a tree of spans. Offsets are UTF-16 units, which is how JavaScript counts too, so a
 * slice is exact. What does not fit (out of the text, crossing a neighbour, inside a surrogate pair) is cut or dropped:
 * the page shows every letter in any case.
 */
import type { Entity } from './types.ts';

/** A piece of plain text, or an entity with what stands inside it. */
export type Span = string | { entity: Entity; text: string; inside: Span[] };

/** The spans of `text`, in order; their plain texts joined give `text` back. */
export function spans(text: string, entities: readonly Entity[]): Span[] {
  const usable = entities
    .map((entity) => clip(text, entity))
    .filter((entity) => entity !== null)
    .sort((a, b) => a.offset - b.offset || b.length - a.length);
  return fill(text, 0, text.length, usable);
}

/** The letters of a span without any marks. */
export function plain(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}

function clip(text: string, entity: Entity): Entity | null {
  const start = entity.offset;
  const end = Math.min(text.length, entity.offset + entity.length);
  if (start < 0 || end <= start || splitsPair(text, start) || splitsPair(text, end)) {
    return null;
  }
  return { ...entity, length: end - start };
}

function splitsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/** `sorted` starts with the outermost entities; those that cross the end of their parent are left out. */
function fill(text: string, start: number, end: number, sorted: readonly Entity[]): Span[] {
  const out: Span[] = [];
  let at = start;
  let next = 0;
  while (next < sorted.length) {
    const entity = sorted[next] as Entity;
    const stop = entity.offset + entity.length;
    next += 1;
    if (entity.offset < at || stop > end) {
      continue;
    }
    if (entity.offset > at) {
      out.push(text.slice(at, entity.offset));
    }
    const children: Entity[] = [];
    while (next < sorted.length && (sorted[next] as Entity).offset < stop) {
      children.push(sorted[next] as Entity);
      next += 1;
    }
    out.push({ entity, text: text.slice(entity.offset, stop), inside: fill(text, entity.offset, stop, children) });
    at = stop;
  }
  if (at < end) {
    out.push(text.slice(at, end));
  }
  return out;
}
