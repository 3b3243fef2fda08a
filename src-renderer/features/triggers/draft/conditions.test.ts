import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { operators } from '../../../../proto/config/triggers/conditions.ts';
import { conditionsOf, fitTo, withCondition, withOperator, type BuilderCondition } from './conditions.ts';

const hot: BuilderCondition = { path: ['cpu'], operator: 'gt', expected: 50 };

describe('comparisons of a trigger', () => {
  it('are the leaves of its evals', () => {
    const evals = [
      { operator: 'gt', value: { cpu: 50, room: { celsius: 20 } } },
      { operator: 'eq', value: 'on' },
    ];
    expect(conditionsOf(evals)).toEqual([
      { evalIndex: 0, path: ['cpu'], operator: 'gt', expected: 50 },
      { evalIndex: 0, path: ['room', 'celsius'], operator: 'gt', expected: 20 },
      { evalIndex: 1, path: [], operator: 'eq', expected: 'on' },
    ]);
  });

  it.each([
    [['gt']],
    [[{ operator: 'above', value: 1 }]],
    [[{ operator: 'eq', value: [1] }]],
    [[{ operator: 'eq', value: {} }]],
  ])('are undefined if one is not valid: %j', (evals) => expect(conditionsOf(evals)).toBeUndefined());

  it('are read back as they were written', () => {
    const key = fc.oneof(fc.string(), fc.constant('__proto__'));
    const condition = fc.record<BuilderCondition>({
      path: fc.array(key, { maxLength: 3 }),
      operator: fc.constantFrom(...operators),
      expected: fc.oneof(fc.integer(), fc.string(), fc.boolean()),
    });
    fc.assert(
      fc.property(fc.array(condition), (wanted) => {
        const evals = wanted.reduce<readonly unknown[]>((all, one, at) => withCondition(all, at, one), []);
        expect(conditionsOf(evals)).toEqual(wanted.map((one, evalIndex) => ({ ...one, evalIndex })));
      }),
    );
  });

  it('change without changing others, or keys that are not known', () => {
    const evals = [
      { operator: 'gt', value: { a: 1 }, note: 'mine' },
      { operator: 'lt', value: { b: 2 } },
    ];
    expect(withCondition(evals, 0, { path: ['c'], operator: 'gte', expected: 3 })).toEqual([
      { operator: 'gte', value: { c: 3 }, note: 'mine' },
      evals[1],
    ]);
    expect(withCondition(evals, 1, undefined)).toEqual([evals[0]]);
  });

  it('stay together in one entry unless their operators differ', () => {
    const evals = [{ operator: 'gt', value: { a: { x: 1, y: 2 }, b: 3 } }];
    expect(withCondition(evals, 1, { path: ['a', 'y'], operator: 'gt', expected: 5 })).toEqual([
      { operator: 'gt', value: { a: { x: 1, y: 5 }, b: 3 } },
    ]);
    expect(withCondition(evals, 2, { path: ['b'], operator: 'lt', expected: 3 })).toEqual([
      { operator: 'gt', value: { a: { x: 1, y: 2 } } },
      { operator: 'lt', value: { b: 3 } },
    ]);
    expect(withCondition(evals, 0, undefined)).toEqual([{ operator: 'gt', value: { a: { y: 2 }, b: 3 } }]);
    // Two comparisons of one field do not fit into one object.
    expect(withCondition(evals, 2, { path: ['a', 'x'], operator: 'gt', expected: 7 })).toEqual([
      { operator: 'gt', value: { a: { x: 1, y: 2 } } },
      { operator: 'gt', value: { a: { x: 7 } } },
    ]);
  });

  it('take the type of the value of the field, and keep what suits it', () => {
    expect(fitTo(hot, 12)).toBe(hot);
    expect(fitTo(hot, 'on')).toEqual({ ...hot, operator: 'eq', expected: 'on' });
    expect(fitTo(hot, true)).toEqual({ ...hot, operator: 'eq', expected: true });
    expect(fitTo({ ...hot, operator: 'regex', expected: '^o' }, 4)).toEqual({ ...hot, operator: 'gt', expected: 4 });
    expect(fitTo({ ...hot, operator: 'neq', expected: 'x' }, false)).toEqual({
      ...hot,
      operator: 'neq',
      expected: false,
    });
    expect(fitTo(hot, undefined)).toBe(hot);
  });

  it('take the type of value that their operator needs', () => {
    expect(withOperator(hot, 'regex', 1).expected).toBe('50');
    expect(withOperator({ ...hot, operator: 'eq', expected: '7.5' }, 'lt', 1).expected).toBe(7.5);
    expect(withOperator({ ...hot, operator: 'eq', expected: true }, 'lt', 3).expected).toBe(3);
    expect(withOperator({ ...hot, operator: 'eq', expected: 'on' }, 'neq', 3).expected).toBe('on');
  });
});
