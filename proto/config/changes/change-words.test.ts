import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../text/json-text.ts';
import { changesWords, valueWords } from './change-words.ts';
import { entryPlace, valueChanges, type ChangeRules, type ValueChange } from './value-changes.ts';

const open: ChangeRules = { isHidden: () => false, follows: () => false };
const changes = (before: JsonValue, after: JsonValue, rules = open): readonly ValueChange[] =>
  valueChanges(before, after, entryPlace, rules);
const words = (before: JsonValue, after: JsonValue, rules = open): string =>
  changesWords(changes(before, after, rules));
const interrupts = (...items: readonly JsonValue[]): JsonValue => ({ attributes: { digital_interrupts: [...items] } });
const tap = (name: string, pin: string): JsonValue => ({ name, pin });

describe('what changed, in words', () => {
  it.each<readonly [JsonValue, JsonValue, string]>([
    [{ max_rpm: 100 }, { max_rpm: 120 }, 'max_rpm 100 to 120'],
    [{}, { dir_flip: true, note: 'two words' }, 'dir_flip set to true, note set to "two words"'],
    [{ dir_flip: true }, {}, 'dir_flip removed'],
    [{ pin: '16' }, { pin: 16 }, 'pin "16" to 16'],
    [{ attributes: { pins: { a: '11', b: '13' } } }, { attributes: { pins: { a: '16', b: '13' } } }, 'pins.a 11 to 16'],
    [{}, { pins: { a: '11', b: '13' } }, 'pins.a set to 11, pins.b set to 13'],
    [{}, { pins: {} }, 'pins set to empty'],
    [{ at: 'a' }, { at: { x: 1, y: 2 } }, 'at a to 2 keys'],
    [{ disabled: false }, { disabled: true }, 'disabled'],
    [{ notes: 'a' }, { notes: 'b' }, 'notes changed'],
    [{ model: 'rdk:builtin:fake' }, { model: 'gpio' }, 'model fake to gpio'],
    [{}, { log_configuration: { level: 'Debug' } }, 'log level usual to debug'],
    [{ depends_on: ['a', 'b'] }, { depends_on: ['b', 'c'] }, 'depends on: added c; removed a'],
    [{ rates: [1, 1, 2] }, { rates: [1, 2, 2] }, 'rates: added 2; removed 1'],
    [{ rates: [1, 2] }, { rates: [2, 1] }, 'rates: another order'],
    [{ points: [[0, 1], [2]] }, { points: [[0, 1], [3], [4]] }, 'points: added #3; changed #2'],
    [
      { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 },
      {},
      'a removed, b removed, c removed, d removed, e removed and 2 more',
    ],
  ])('%j to %j: %s', (before, after, expected) => {
    expect(words(before, after)).toBe(expected);
  });

  it('names the items of a list, never its JSON', () => {
    const before = interrupts(tap('old', '1'), tap('limit', '2'));
    const after = interrupts(tap('limit', '3'), tap('enc_a', '4'), tap('enc_b', '5'));
    expect(words(before, after)).toBe('digital interrupts: added enc_a, enc_b; removed old; changed limit');
    expect(words({}, after)).toBe('digital interrupts: added limit, enc_a, enc_b');
    expect(words({}, interrupts(...[...'abcdefghij'].map((name) => tap(name, '1'))))).toBe(
      'digital interrupts: added a, b, c, d, e, f, g, h and 2 more',
    );
    // Two of one name, and items without one, are known by their position.
    expect(words(interrupts(tap('a', '1')), interrupts(tap('a', '1'), tap('a', '2')))).toBe(
      'digital interrupts: added #2',
    );
    expect(words(interrupts(), interrupts(tap('hot', '1'), {}))).toBe('digital interrupts: added hot, #2');
  });

  it('cuts long values and tells their length', () => {
    const long = 'x'.repeat(300);
    expect(words({ script: 'a' }, { script: long })).toBe(`script a to ${'x'.repeat(60)}… (300 characters)`);
    expect(words({ script: long }, { script: `${long.slice(1)}y` })).toBe('script changed');
    expect(valueWords(`a${'🙂'.repeat(40)}`)).toMatch(/🙂… \(81 characters\)$/);
  });

  it('hides what is hidden, whatever it holds', () => {
    const rules: ChangeRules = { ...open, isHidden: (steps) => steps.includes('token') };
    expect(words({ token: 'old' }, { token: 'new' }, rules)).toBe('token changed (***)');
    expect(words({}, { a: { token: ['x'] } }, rules)).toBe('a.token set (***)');
    expect(words({ token: {} }, {}, rules)).toBe('token removed');
  });

  it('says that a reference follows a new name', () => {
    const rules: ChangeRules = { ...open, follows: (before, after) => before === 'bench' && after === 'desk' };
    expect(words({ board: 'bench' }, { board: 'desk' }, rules)).toBe('board bench → desk');
    expect(words({ depends_on: ['bench', 'a'] }, { depends_on: ['a', 'desk', 'b'] }, rules)).toBe(
      'depends on: bench → desk; added b',
    );
  });
});

const key = fc.constantFrom('name', 'pin', 'rate', 'notes_of_it', 'x');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, 'a', 'two words', ''),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const named: fc.Arbitrary<JsonValue[]> = fc.uniqueArray(
  fc.record({ name: fc.constantFrom('enc_a', 'enc_b', 'limit', 'old'), pin: fc.constantFrom('1', '2'), at: value }),
  { maxLength: 4, selector: ({ name }) => name },
);

/** The paths of all leaves that differ, up to the nearest list: its words name or count what is in it. */
function differingLeaves(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const sides = [before, after].filter((side) => side !== undefined);
  const keys = sides.flatMap((side) =>
    typeof side === 'object' && side !== null && !Array.isArray(side) ? [Object.keys(side)] : [],
  );
  if (keys.length < sides.length || keys.flat().length === 0) return [path];
  return [...new Set(keys.flat())].flatMap((step) =>
    differingLeaves(
      (before as Record<string, JsonValue> | undefined)?.[step],
      (after as Record<string, JsonValue> | undefined)?.[step],
      path === '' ? step : `${path}.${step}`,
    ),
  );
}

describe('for any two values', () => {
  const ordered = (text: JsonValue): JsonValue => JSON.parse(JSON.stringify(sorted(text))) as JsonValue;
  function sorted(one: JsonValue): JsonValue {
    if (Array.isArray(one)) return one.map(sorted);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, part]) => [name, sorted(part)]),
    );
  }

  it('equal ones do not differ, and different ones do', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        expect(changes(one, structuredClone(one))).toEqual([]);
        const isSame = JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
        expect(changes(one, other).length === 0).toBe(isSame);
      }),
    );
  });

  it('every leaf that changed is mentioned or counted', () => {
    const objects = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        const [before, after] = [ordered(one), ordered(other)];
        const found = changes(before, after);
        const leaves = differingLeaves(before, after);
        expect(found.map(({ place }) => place.path).toSorted()).toEqual(leaves.toSorted());
        const text = changesWords(found);
        const counted = Number(/ and (\d+) more$/.exec(text)?.[1] ?? 0);
        const mentioned = found.filter(
          ({ place }) => text.includes(place.path.replaceAll('_', ' ')) || text.includes(place.path),
        );
        expect(mentioned.length + counted).toBeGreaterThanOrEqual(leaves.length);
      }),
    );
  });

  it('lists of named things are told without brackets, and name every item', () => {
    fc.assert(
      fc.property(named, named, (one, other) => {
        const text = words({ taps: one }, { taps: other });
        expect(text).not.toMatch(/[[\]{}]/);
        const names = (list: readonly JsonValue[]): readonly string[] =>
          list.map((item) => (item as { name: string }).name);
        const differing = [...names(one), ...names(other)].filter((name) => {
          const [was, is] = [one, other].map((list) => list.find((item) => (item as { name: string }).name === name));
          return changes(was ?? null, is ?? null).length > 0;
        });
        for (const name of differing) expect(text).toContain(name);
      }),
    );
  });
});
