import { isJsonObject } from '../text/text-entries.ts';
import type { JsonValue } from '../text/json-text.ts';

export const operators = ['lt', 'gt', 'lte', 'gte', 'eq', 'neq', 'regex'] as const;
export type Operator = (typeof operators)[number];

/** A value that something can be compared with. */
export type Scalar = string | number | boolean;

/** A compiled regular expression: the syntax of RE2, because some patterns keep other engines busy for ever. */
export interface TextPattern {
  /** Undefined where it matches nowhere in the text. */
  findFirst(text: string): string | undefined;
}

/** Compiles a user's regular expression. The program that reads triggers provides the engine. */
export type CompilePattern = (
  source: string,
) => { readonly kind: 'valid'; readonly pattern: TextPattern } | { readonly kind: 'invalid'; readonly reason: string };

/** One leaf of an eval's `value`: one comparison. */
export interface Condition {
  /** Keys from the reading down; undefined compares with the only value that the reading has. */
  readonly path: readonly string[] | undefined;
  readonly operator: Operator;
  readonly expected: Scalar;
  /** Of `regex`. */
  readonly pattern?: TextPattern;
}

/** The result of one condition. */
export interface ConditionResult {
  /** Keys from the reading down; empty where the condition names none and the reading has not exactly one value. */
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly expected: Scalar;
  /** Undefined where there is no such value. */
  readonly found: JsonValue | undefined;
  readonly holds: boolean;
  /** Why it does not hold; '' where it does. */
  readonly reason: string;
}

export interface Evaluation {
  readonly isFired: boolean;
  readonly results: readonly ConditionResult[];
}

/** The leaves of an eval's `value`, each with its path; undefined where something in it cannot be compared with. */
export function leavesOf(
  value: JsonValue,
): readonly { readonly path: readonly string[]; readonly value: Scalar }[] | undefined {
  if (!isJsonObject(value)) {
    return value === null || Array.isArray(value) ? undefined : [{ path: [], value }];
  }
  const leaves: { path: readonly string[]; value: Scalar }[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const found = leavesOf(inner);
    if (found === undefined) return undefined;
    leaves.push(...found.map((leaf) => ({ path: [key, ...leaf.path], value: leaf.value })));
  }
  return leaves;
}

/**
 * Where conditions begin in a captured payload: inside the `readings` that the wire wraps around what a sensor reads; the
 * payload itself where it has none.
 */
export function readingOf(payload: JsonValue): JsonValue {
  const inner = isJsonObject(payload) && Object.hasOwn(payload, 'readings') ? payload['readings'] : undefined;
  return isJsonObject(inner) ? inner : payload;
}

/** Compares a reading with every condition; it fires if all hold, and also if there are none. */
export function evaluate(conditions: readonly Condition[], reading: JsonValue): Evaluation {
  const results = conditions.map((condition) => resultOf(condition, reading));
  return { isFired: results.every(({ holds }) => holds), results };
}

/** Whether a reading fires these conditions: what {@link evaluate} says, without its reasons, which cost ten times as much. */
export function doesFire(conditions: readonly Condition[], reading: JsonValue): boolean {
  return conditions.every(({ path, operator, expected, pattern }) => {
    const found = path === undefined ? foundIn(onlyValue(reading)) : innerValue(reading, path);
    return found !== undefined && holds(operator, expected, found, pattern);
  });
}

function resultOf({ path, operator, expected, pattern }: Condition, reading: JsonValue): ConditionResult {
  const place = path === undefined ? onlyValue(reading) : valueAt(reading, path);
  const reason = 'missing' in place ? place.missing : failureOf(operator, expected, place.found, pattern);
  return {
    path: place.path,
    operator,
    expected,
    found: foundIn(place),
    holds: reason === '',
    reason,
  };
}

type Place =
  | { readonly path: readonly string[]; readonly found: JsonValue }
  | { readonly path: readonly string[]; readonly missing: string };

function foundIn(place: Place): JsonValue | undefined {
  return 'missing' in place ? undefined : place.found;
}

/** Only the reading's own keys count: inherited ones such as `constructor` are not fields. */
function innerValue(reading: JsonValue, path: readonly string[]): JsonValue | undefined {
  let found: JsonValue | undefined = reading;
  for (const key of path) {
    found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    if (found === undefined) return undefined;
  }
  return found;
}

function valueAt(reading: JsonValue, path: readonly string[]): Place {
  const found = innerValue(reading, path);
  if (found !== undefined) return { path, found };
  const missing = path.findIndex((_, index) => innerValue(reading, path.slice(0, index + 1)) === undefined);
  return { path, missing: `the reading has no field "${path.slice(0, missing + 1).join('.')}"` };
}

function onlyValue(reading: JsonValue): Place {
  const path: string[] = [];
  let found = reading;
  while (isJsonObject(found)) {
    const [entry, another] = Object.entries(found);
    if (entry === undefined) return { path: [], missing: 'the reading is empty' };
    if (another !== undefined) return { path: [], missing: 'it names no field, and the reading has several' };
    path.push(entry[0]);
    found = entry[1];
  }
  return { path, found };
}

/** Whether a comparison holds. It never does if the types differ, not even `neq`. */
function holds(operator: Operator, expected: Scalar, found: JsonValue, pattern: TextPattern | undefined): boolean {
  if (operator === 'regex') return typeof found === 'string' && pattern?.findFirst(found) !== undefined;
  if (typeof found !== typeof expected) return false;
  if (operator === 'eq') return found === expected;
  if (operator === 'neq') return found !== expected;
  return typeof found === 'number' && typeof expected === 'number' && orders[operator](found, expected);
}

/** Why the comparison does not hold; '' where it does. */
function failureOf(operator: Operator, expected: Scalar, found: JsonValue, pattern: TextPattern | undefined): string {
  if (holds(operator, expected, found, pattern)) return '';
  if (operator === 'regex') {
    if (typeof found !== 'string') return `${typeName(found)} is compared with a regular expression, which takes text`;
    return `${shown(found)} does not match ${shown(expected)}`;
  }
  if (typeof found !== typeof expected) {
    return `the types differ: ${typeName(found)} is compared with ${typeName(expected)}`;
  }
  if (operator === 'eq') return `${shown(found)} is not ${shown(expected)}`;
  if (operator === 'neq') return `it is ${shown(expected)}`;
  if (typeof found !== 'number' || typeof expected !== 'number') {
    return `"${operator}" compares numbers, and this is ${typeName(found)}`;
  }
  return `${found} is not ${orderWords[operator]} ${expected}`;
}

const orders = {
  lt: (a: number, b: number) => a < b,
  gt: (a: number, b: number) => a > b,
  lte: (a: number, b: number) => a <= b,
  gte: (a: number, b: number) => a >= b,
} as const;

const orderWords = { lt: 'less than', gt: 'greater than', lte: 'at most', gte: 'at least' } as const;

const LONGEST_SHOWN = 80;

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'string' ? 'text' : 'a number';
}
