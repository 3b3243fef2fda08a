import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, defaultCriteria, isNarrowed, levelNames, readAddress, sameCriteria } from './log-address.ts';

describe('the address of a filter', () => {
  it('gives back every filter', () => {
    const time = fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined });
    const criteria = fc.record({
      level: fc.constantFrom(...levelNames),
      resource: fc.string(),
      logger: fc.string(),
      text: fc.string(),
      from: time,
      to: time,
    });
    fc.assert(
      fc.property(criteria, (wanted) => {
        expect(readAddress(addressOf(wanted))).toEqual({ criteria: wanted, problems: [] });
      }),
    );
  });

  it('has only what differs from the default', () => {
    expect(addressOf(defaultCriteria)).toEqual({});
    expect(addressOf({ ...defaultCriteria, level: 'warn', from: 0 })).toEqual({
      level: 'warn',
      from: '1970-01-01T00:00:00.000Z',
    });
  });

  it('reports values that are not valid, and reads the rest', () => {
    const { criteria, problems } = readAddress({ level: 'loud', from: 'yesterday', text: ['pump', 'valve'] });
    expect(criteria).toEqual({ ...defaultCriteria, text: 'pump' });
    expect(problems).toEqual([
      { key: 'level', found: 'loud' },
      { key: 'from', found: 'yesterday' },
    ]);
  });

  it('distinguishes a filter from none, and one filter from another', () => {
    expect([isNarrowed(defaultCriteria), isNarrowed({ ...defaultCriteria, text: 'x' })]).toEqual([false, true]);
    expect(sameCriteria(defaultCriteria, { ...defaultCriteria, to: 5 })).toBe(false);
  });
});
