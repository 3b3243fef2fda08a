import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../text/json-text.ts';
import {
  doesFire,
  evaluate,
  leavesOf,
  operators,
  readingOf,
  type Condition,
  type Operator,
  type Scalar,
  type TextPattern,
} from './conditions.ts';

const searching = (source: string): TextPattern => ({ findFirst: (text) => new RegExp(source).exec(text)?.[0] });

/** The conditions of one eval, as a configuration has it. */
function conditionsOf(operator: Operator, value: JsonValue): Condition[] {
  return (leavesOf(value) ?? []).map(({ path, value: expected }) => ({
    path: path.length === 0 ? undefined : path,
    operator,
    expected,
    ...(operator === 'regex' ? { pattern: searching(String(expected)) } : {}),
  }));
}

const fires = (operator: Operator, value: JsonValue, reading: JsonValue): boolean => {
  const conditions = conditionsOf(operator, value);
  const { isFired } = evaluate(conditions, reading);
  expect(doesFire(conditions, reading)).toBe(isFired);
  return isFired;
};

const reasonOf = (operator: Operator, value: JsonValue, reading: JsonValue): string =>
  evaluate(conditionsOf(operator, value), reading).results[0]?.reason ?? '';

describe('conditions', () => {
  it('fires for a cpu above 50', () => {
    expect(fires('gt', { cpu: 50 }, { cpu: 50.5 })).toBe(true);
    expect(fires('gt', { cpu: 50 }, { cpu: 50 })).toBe(false);
  });

  it('fires for a nested latitude below 50', () => {
    expect(fires('lt', { coordinate: { latitude: 50 } }, { coordinate: { latitude: 49.9, longitude: 99 } })).toBe(true);
    expect(fires('lt', { coordinate: { latitude: 50 } }, { coordinate: { latitude: 50 } })).toBe(false);
    expect(fires('lt', { coordinate: { latitude: 50 } }, { latitude: 49 })).toBe(false);
  });

  it('begins inside the wrapper of readings', () => {
    expect(readingOf({ readings: { cpu: 51 } })).toEqual({ cpu: 51 });
    expect(readingOf({ watts: 5 })).toEqual({ watts: 5 });
    expect(readingOf({ readings: 5, cpu: 1 })).toEqual({ readings: 5, cpu: 1 });
  });

  it.each<[Operator, Scalar, JsonValue, boolean]>([
    ['lt', 1, 0, true],
    ['lt', 1, 1, false],
    ['lte', 1, 1, true],
    ['lte', 1, 1.1, false],
    ['gt', 1, 2, true],
    ['gt', 1, 1, false],
    ['gte', 1, 1, true],
    ['gte', 1, 0.9, false],
    ['eq', 1, 1, true],
    ['eq', 1, 2, false],
    ['eq', 'on', 'on', true],
    ['eq', true, true, true],
    ['eq', 0, -0, true],
    ['neq', 1, 2, true],
    ['neq', 'on', 'off', true],
    ['neq', 'on', 'on', false],
    ['regex', '^o.$', 'on', true],
    ['regex', 'n', 'on', true],
    ['regex', '^n', 'on', false],
    ['regex', '^$', '', true],
  ])('%s %j holds for %j: %j', (operator, expected, found, holds) => {
    expect(fires(operator, { x: expected }, { x: found })).toBe(holds);
  });

  it.each<[Operator, Scalar, JsonValue]>([
    ['eq', 1, '1'],
    ['eq', 'true', true],
    ['eq', 0, false],
    ['eq', 'x', null],
    ['neq', 1, '2'],
    ['neq', 1, null],
    ['neq', 1, [1]],
    ['neq', 'a', { b: 1 }],
    ['gt', 1, '2'],
    ['lt', 2, true],
    ['regex', '1', 1],
    ['regex', '', null],
  ])('types that differ never hold: %s %j, found %j', (operator, expected, found) => {
    expect(fires(operator, { x: expected }, { x: found })).toBe(false);
    expect(reasonOf(operator, { x: expected }, { x: found })).toMatch(/compare|types differ/);
  });

  it('does not order texts', () => {
    expect(reasonOf('gt', { x: 'a' }, { x: 'b' })).toBe('"gt" compares numbers, and this is text');
  });

  it('needs every leaf of a value', () => {
    const value = { a: 1, b: { c: 2 } };
    expect(fires('gt', value, { a: 2, b: { c: 3 } })).toBe(true);
    expect(fires('gt', value, { a: 2, b: { c: 2 } })).toBe(false);
    expect(fires('gt', value, { a: 2 })).toBe(false);
    expect(evaluate(conditionsOf('gt', value), { a: 2 }).results.map(({ holds }) => holds)).toEqual([true, false]);
  });

  it('compares a plain value with the only one that the reading has', () => {
    expect(fires('gt', 50, { cpu: 51 })).toBe(true);
    expect(fires('gt', 50, { cpu: { load: 51 } })).toBe(true);
    expect(reasonOf('gt', 50, { cpu: 51, ram: 3 })).toBe('it names no field, and the reading has several');
    expect(reasonOf('gt', 50, {})).toBe('the reading is empty');
  });

  it('says which field is missing', () => {
    expect(reasonOf('eq', { a: { b: { c: 1 } } }, { a: { b: 7 } })).toBe('the reading has no field "a.b.c"');
    expect(reasonOf('eq', { a: { b: { c: 1 } } }, { a: 7 })).toBe('the reading has no field "a.b"');
  });

  it('fires without conditions, whatever is read', () => {
    fc.assert(fc.property(fc.jsonValue(), (reading) => evaluate([], reading as JsonValue).isFired));
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'takes %s for a field like any other: one that the reading has itself',
    (key) => {
      const reading = JSON.parse(`{"${key}": 7}`) as JsonValue;
      const value = JSON.parse(`{"${key}": 7}`) as JsonValue;
      expect(fires('eq', value, reading)).toBe(true);
      expect(fires('neq', value, { other: 1 })).toBe(false);
      expect(reasonOf('neq', value, {})).toBe(`the reading has no field "${key}"`);
    },
  );

  it('has no leaves in null and arrays', () => {
    expect(leavesOf(null)).toBeUndefined();
    expect(leavesOf({ a: [1] })).toBeUndefined();
    expect(leavesOf({ a: {} })).toEqual([]);
  });
});

describe('conditions, against a simple model', () => {
  const key = fc.constantFrom('a', 'b', '__proto__', 'readings', '');
  const scalar = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, 1, -0),
    fc.string({ maxLength: 3 }),
    fc.boolean(),
  );
  const { tree } = fc.letrec<{ tree: JsonValue; leaf: JsonValue }>((tie) => ({
    leaf: fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 2 })),
    tree: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const plain = fc.constantFrom<Operator>(...operators.filter((operator) => operator !== 'regex'));

  const at = (reading: JsonValue, path: readonly string[]): JsonValue | undefined =>
    path.reduce<JsonValue | undefined>((value, step) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      return new Map(Object.entries(value)).get(step);
    }, reading);

  const model = (operator: Operator, expected: Scalar, found: JsonValue | undefined): boolean => {
    if (found === undefined || typeof found !== typeof expected) return false;
    if (operator === 'eq') return found === expected;
    if (operator === 'neq') return found !== expected;
    if (typeof found !== 'number' || typeof expected !== 'number') return false;
    if (operator === 'lt') return found < expected;
    if (operator === 'lte') return !(found > expected);
    if (operator === 'gt') return found > expected;
    return !(found < expected);
  };

  it('holds exactly where the model does', () => {
    fc.assert(
      fc.property(
        plain,
        fc.array(key, { minLength: 1, maxLength: 3 }),
        scalar,
        tree,
        (operator, path, expected, reading) => {
          const { isFired, results } = evaluate([{ path, operator, expected }], reading);
          expect(isFired).toBe(model(operator, expected, at(reading, path)));
          expect(doesFire([{ path, operator, expected }], reading)).toBe(isFired);
          expect(results).toHaveLength(1);
          expect(results[0]?.reason === '').toBe(isFired);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('fires where every single condition does', () => {
    const condition = fc.record({
      path: fc.array(key, { minLength: 1, maxLength: 2 }),
      operator: plain,
      expected: scalar,
    });
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), tree, (conditions, reading) => {
        const each = conditions.map((one) => evaluate([one], reading).isFired);
        expect(evaluate(conditions, reading).isFired).toBe(each.every(Boolean));
      }),
    );
  });

  it('never fires for a field that is missing, whatever the operator', () => {
    fc.assert(
      fc.property(plain, scalar, tree, (operator, expected, reading) => {
        expect(evaluate([{ path: ['missing'], operator, expected }], reading).isFired).toBe(false);
      }),
    );
  });

  it('knows no number that is none: JSON has none', () => {
    for (const operator of operators) expect(fires(operator, { x: 1 }, { x: JSON.parse('null') as null })).toBe(false);
    expect(() => void JSON.parse('{"x": NaN}')).toThrow();
  });
});
