/** How a JSON text is laid out, so that new text in it looks like the existing text. */
export interface JsonStyle {
  readonly eol: string;
  /** One step of indentation. */
  readonly indent: string;
  /** White space after a colon, after a comma within a line, and inside the braces of an object on one line. */
  readonly afterColon: string;
  readonly afterComma: string;
  readonly inBraces: string;
  /** The whole text is on one line. */
  readonly isOneLine: boolean;
  /** Small objects and arrays stand on one line. */
  readonly hasShort: boolean;
}

/** How a value is laid out: by its size, on one line, or on several lines. */
export type Layout = 'by-size' | 'one-line' | 'lines';

/** The style of a long text is found from this many characters at its beginning. */
const MAX_STYLE_SAMPLE = 100_000;
/** Longer values are written on several lines. */
const MAX_SHORT_LINE = 72;

type Found = { -readonly [Key in keyof JsonStyle]?: JsonStyle[Key] };

/** The style of a text; the text near the place of an edit takes precedence over the rest. */
export function styleOf(text: string, near: string): JsonStyle {
  const found: Found = {};
  for (const part of [near, text]) readStyle(part.slice(0, MAX_STYLE_SAMPLE), found);
  const hasLines = found.indent !== undefined;
  const afterColon = found.afterColon ?? ' ';
  const afterComma = found.afterComma ?? (afterColon === '' ? '' : ' ');
  const isOneLine = !hasLines && found.hasShort === true;
  return {
    eol: found.eol ?? '\n',
    indent: found.indent ?? '  ',
    afterColon,
    afterComma,
    inBraces: found.inBraces ?? (afterColon === '' ? '' : ' '),
    isOneLine,
    hasShort: !hasLines || found.hasShort === true,
  };
}

function readStyle(text: string, found: Found): void {
  const token = /"(?:[^"\\]|\\[^])*"?|[{[:,](\s*)|\r\n|\n|\r/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [all, after] = match;
    const eol = /\r\n|\n|\r/.exec(all.startsWith('"') ? '' : all);
    if (eol !== null) found.eol ??= eol[0];
    if (after === undefined) continue;
    const sign = all[0];
    const isOnLine = eol === null;
    if (sign === ':' && isOnLine) found.afterColon ??= after;
    else if (sign === ',' && isOnLine) found.afterComma ??= after;
    else if (sign === '{' || sign === '[') readOpening(text, match.index, after, found);
  }
}

function readOpening(text: string, at: number, after: string, found: Found): void {
  const next = text[at + 1 + after.length];
  if (next === undefined || next === '}' || next === ']') return;
  if (/[\r\n]/.test(after)) {
    const inner = lastLine(after);
    const outer = lineIndent(text, at);
    if (inner.length > outer.length && inner.startsWith(outer)) found.indent ??= inner.slice(outer.length);
    return;
  }
  found.hasShort ??= true;
  if (text[at] === '{') found.inBraces ??= after;
}

/** The part of white space after its last line break. */
export function lastLine(space: string): string {
  return space.slice(Math.max(space.lastIndexOf('\n'), space.lastIndexOf('\r')) + 1);
}

/** The distance of an offset from the start of its line. */
export function lineOffset(text: string, at: number): number {
  let start = at;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start -= 1;
  return at - start;
}

/** The indentation of the line of an offset. */
export function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(at - lineOffset(text, at), at))?.[0] ?? '';
}

export function isShortLine(line: string): boolean {
  return line.length <= MAX_SHORT_LINE;
}

/** A value as text. `indent` is the indentation of the line it begins on. */
export function printJson(value: unknown, style: JsonStyle, indent: string, layout: Layout): string {
  const parts = partsOf(value, style);
  if (parts === undefined) return JSON.stringify(value) ?? 'null';
  if (parts.length === 0) return Array.isArray(value) ? '[]' : '{}';
  if (style.isOneLine || layout === 'one-line') return printShort(value, style);
  if (layout === 'by-size' && style.hasShort) {
    const short = printShort(value, style);
    if (isShortLine(short)) return short;
  }
  const inner = indent + style.indent;
  const lines = parts.map(([key, part]) => `${inner}${key}${printJson(part, style, inner, 'by-size')}`);
  return wrapLines(lines, Array.isArray(value), style, indent);
}

/** Puts finished lines between brackets. */
export function wrapLines(lines: readonly string[], isArray: boolean, style: JsonStyle, indent: string): string {
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}${style.eol}${lines.join(`,${style.eol}`)}${style.eol}${indent}${close}`;
}

function printShort(value: unknown, style: JsonStyle): string {
  const parts = partsOf(value, style);
  if (parts === undefined) return JSON.stringify(value) ?? 'null';
  if (parts.length === 0) return Array.isArray(value) ? '[]' : '{}';
  const inside = parts.map(([key, part]) => key + printShort(part, style)).join(`,${style.afterComma}`);
  return Array.isArray(value) ? `[${inside}]` : `{${style.inBraces}${inside}${style.inBraces}}`;
}

/** The parts of an object or array, each with its written key and colon; undefined for a scalar. */
function partsOf(value: unknown, style: JsonStyle): (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown) => ['', item] as const);
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => [`${JSON.stringify(key)}:${style.afterColon}`, part] as const);
}
