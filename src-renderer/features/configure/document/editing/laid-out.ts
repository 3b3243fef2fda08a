import { childrenAt, rootOf, type JsonChild } from './json-scan.ts';
import { isShortLine, wrapLines, type JsonStyle, type Layout } from './json-style.ts';

/**
 * A written JSON value in another layout. Only white space changes: the spelling of keys and values stays (`1e3`,
 * `0.10`), and so does the order of keys. '' for a text without a value.
 * @param indent the indentation of the line that the value begins on
 */
export function laidOut(written: string, style: JsonStyle, indent: string, layout: Layout): string {
  const root = rootOf(written);
  return root === undefined ? '' : partLaidOut(written, root, style, indent, layout);
}

function partLaidOut(text: string, place: JsonChild, style: JsonStyle, indent: string, layout: Layout): string {
  const children = childrenAt(text, place.start);
  if (children.length === 0) return spelling(text, place);
  if (style.isOneLine || layout === 'one-line') return onOneLine(text, place, style);
  if (layout === 'by-size' && style.hasShort) {
    const short = onOneLine(text, place, style);
    if (isShortLine(short)) return short;
  }
  const inner = indent + style.indent;
  const lines = children.map(
    (child) => inner + keyOf(text, child, style) + partLaidOut(text, child, style, inner, 'by-size'),
  );
  return wrapLines(lines, text[place.start] === '[', style, indent);
}

function onOneLine(text: string, place: JsonChild, style: JsonStyle): string {
  const children = childrenAt(text, place.start);
  if (children.length === 0) return spelling(text, place);
  const inside = children
    .map((child) => keyOf(text, child, style) + onOneLine(text, child, style))
    .join(`,${style.afterComma}`);
  return text[place.start] === '[' ? `[${inside}]` : `{${style.inBraces}${inside}${style.inBraces}}`;
}

/** A scalar as written, or an empty container without the white space in it. */
function spelling(text: string, { start, end }: JsonChild): string {
  const first = text[start];
  if (first === '{') return '{}';
  return first === '[' ? '[]' : text.slice(start, end);
}

function keyOf(text: string, { key, from, start }: JsonChild, style: JsonStyle): string {
  if (key === undefined) return '';
  return `${text.slice(from, start).replace(/\s*:\s*$/, '')}:${style.afterColon}`;
}
