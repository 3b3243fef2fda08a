import { parseDuration } from '../../proto/config/duration.ts';
import type { JsonSchema } from '../../proto/config/schema/json-schema.ts';

/** Why typed text is not a value. */
export type TypingFault =
  | { readonly kind: 'notNumber' | 'notWhole' | 'tooLarge' | 'notDuration' }
  /** `1,440` may mean 1440 or 1.44. */
  | { readonly kind: 'ambiguous'; readonly whole: string; readonly decimal: string };

/** What typed text means. Text that is not a value is never written into the configuration. */
export type TypedValue =
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: number | string }
  | { readonly kind: 'fault'; readonly fault: TypingFault };

const NUMBER = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i;
/** A comma before exactly three digits groups thousands in some countries and marks decimals in others. */
const AMBIGUOUS = /^([-+]?[1-9]\d{0,2}),(\d{3})$/;

/** Reads a number as people type it: `−0,5`, `800 Hz` (with the field's own unit), `1e3`. Does not check the range. */
export function readNumber(typed: string, schema: JsonSchema): TypedValue {
  const unit = schema['x-unit'] ?? '';
  let text = typed.trim().replaceAll('−', '-');
  if (text === '') return { kind: 'empty' };
  if (unit !== '' && text.endsWith(unit)) text = text.slice(0, -unit.length).trim();
  const ambiguous = AMBIGUOUS.exec(text);
  if (ambiguous !== null) {
    const [, front = '', back = ''] = ambiguous;
    const decimal = String(Number(`${front}.${back}`));
    return fault({ kind: 'ambiguous', whole: `${front}${back}`, decimal });
  }
  if (text.indexOf(',') === text.lastIndexOf(',') && !text.includes('.')) text = text.replace(',', '.');
  if (!NUMBER.test(text)) return fault({ kind: 'notNumber' });
  const value = Number(text);
  if (!Number.isFinite(value)) return fault({ kind: 'tooLarge' });
  if (schema.type === 'integer') {
    if (!Number.isInteger(value)) return fault({ kind: 'notWhole' });
    if (!Number.isSafeInteger(value)) return fault({ kind: 'tooLarge' });
  }
  return { kind: 'value', value: value === 0 ? 0 : value };
}

/** Reads a duration: `300ms`, `2s`, `1m30s`. The value is the text as typed. */
export function readDuration(typed: string): TypedValue {
  const text = typed.trim();
  if (text === '') return { kind: 'empty' };
  return parseDuration(text) === undefined ? fault({ kind: 'notDuration' }) : { kind: 'value', value: text };
}

function fault(what: TypingFault): TypedValue {
  return { kind: 'fault', fault: what };
}

/** Step of an arrow key: 1, or 0.01 if the whole range is at most 2. */
export function stepOf(schema: JsonSchema): number {
  if (schema.type === 'integer') return 1;
  const from = schema.minimum ?? schema.exclusiveMinimum ?? -Infinity;
  const to = schema.maximum ?? schema.exclusiveMaximum ?? Infinity;
  return to - from <= 2 ? 0.01 : 1;
}

/**
 * `value` plus a number of steps, within the range. Without a value it starts at
 * the default. Rounded to the decimals of value and step: 0.1 plus 0.01 is 0.11.
 */
export function stepped(schema: JsonSchema, value: number | undefined, steps: number): number {
  const step = stepOf(schema);
  const base = value ?? (typeof schema.default === 'number' ? schema.default : 0);
  const decimals = Math.min(12, Math.max(decimalsOf(base), decimalsOf(step)));
  const next = Number((base + steps * step).toFixed(decimals));
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const lowest = minimum ?? (exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + step);
  const highest = maximum ?? (exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - step);
  return Math.min(highest, Math.max(lowest, next));
}

function decimalsOf(value: number): number {
  const text = String(value);
  const point = text.indexOf('.');
  return point < 0 || text.includes('e') ? 0 : text.length - point - 1;
}
