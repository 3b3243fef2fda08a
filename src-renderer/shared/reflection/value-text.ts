import type { JsonValue } from '@bufbuild/protobuf';
import type { ValueInput } from './request-form.ts';

/** Why a typed text is not a value. */
export type TextProblem =
  | { readonly kind: 'whole' | 'decimal' | 'hex' | 'base64' | 'time' | 'duration' | 'json' }
  | { readonly kind: 'range'; readonly minimum: string; readonly maximum: string };

export type ParsedText = { readonly value: JsonValue } | { readonly problem: TextProblem };

/** How bytes are typed. */
export type BytesNotation = 'hex' | 'base64';

const MAX_DURATION_S = 315_576_000_000;
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

const failed = (kind: Exclude<TextProblem['kind'], 'range'>): ParsedText => ({ problem: { kind } });
const outOfRange = (minimum: string, maximum: string): ParsedText => ({ problem: { kind: 'range', minimum, maximum } });

/** Converts a typed text to its JSON value. */
export function parseText(input: ValueInput, text: string, notation: BytesNotation = 'base64'): ParsedText {
  const trimmed = text.trim();
  switch (input.kind) {
    case 'text':
      return { value: text };
    case 'whole': {
      const digits = trimmed.replace('−', '-');
      if (!/^[+-]?\d+$/.test(digits)) return failed('whole');
      const value = BigInt(digits.replace('+', ''));
      if (value < input.minimum || value > input.maximum) return outOfRange(`${input.minimum}`, `${input.maximum}`);
      return { value: input.isString ? String(value) : Number(value) };
    }
    case 'decimal': {
      if (['NaN', 'Infinity', '-Infinity'].includes(trimmed)) return { value: trimmed };
      const value = Number(trimmed.replace('−', '-').replace(',', '.'));
      if (trimmed === '' || Number.isNaN(value)) return failed('decimal');
      const { largest } = input;
      return Math.abs(value) > largest ? outOfRange(`${-largest}`, `${largest}`) : { value };
    }
    case 'bytes':
      return notation === 'hex' ? parseHex(trimmed) : parseBase64(trimmed);
    case 'time':
      return rfc3339.test(trimmed) && !Number.isNaN(Date.parse(trimmed)) ? { value: trimmed } : failed('time');
    case 'duration': {
      const seconds = trimmed.replace('−', '-').replace(',', '.');
      if (!/^-?\d+(\.\d{1,9})?$/.test(seconds)) return failed('duration');
      if (Math.abs(Number(seconds)) > MAX_DURATION_S) return outOfRange(`${-MAX_DURATION_S}`, `${MAX_DURATION_S}`);
      return { value: `${seconds}s` };
    }
    default:
      return parseJson(text);
  }
}

/** Converts a JSON value to the text that a person would type. */
export function textOf(input: ValueInput, value: JsonValue, notation: BytesNotation = 'base64'): string {
  if (typeof value !== 'string' || input.kind === 'json') return JSON.stringify(value, undefined, 2);
  if (input.kind === 'duration') return value.replace(/s$/, '');
  return input.kind === 'bytes' && notation === 'hex' ? hexOf(value) : value;
}

/** The initial value of a field that a person adds. */
export function emptyValue(input: ValueInput, now: Date): JsonValue {
  switch (input.kind) {
    case 'text':
    case 'bytes':
      return '';
    case 'whole':
      return input.isString ? '0' : 0;
    case 'decimal':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return input.names[0] ?? 0;
    case 'time':
      return now.toISOString();
    case 'duration':
      return '0s';
    case 'json':
      return { object: {}, list: [], null: null }[input.empty];
    case 'message':
      return {};
  }
}

function parseJson(text: string): ParsedText {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return failed('json');
  }
}

/** Pairs of digits, optionally separated by blanks, colons or dashes. */
function parseHex(text: string): ParsedText {
  const digits = text.replace(/^0x/i, '').replace(/[\s:-]/g, '');
  if (!/^([0-9a-f]{2})*$/i.test(digits)) return failed('hex');
  const bytes = (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return { value: btoa(String.fromCharCode(...bytes)) };
}

function parseBase64(text: string): ParsedText {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/\s/g, '');
  try {
    return { value: btoa(atob(standard)) };
  } catch {
    return failed('base64');
  }
}

function hexOf(base64: string): string {
  return Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
}
