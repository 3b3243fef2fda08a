import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDuration, readNumber, stepped } from './typed-value.ts';

const real = { type: 'number' } as const;
const whole = { type: 'integer', 'x-unit': 'Hz' } as const;

describe('a typed number', () => {
  it.each([
    ['0.5', 0.5],
    ['0,5', 0.5],
    ['−3', -3],
    ['+3', 3],
    [' 12. ', 12],
    ['.5', 0.5],
    ['1e3', 1000],
    ['-0', 0],
    ['0,125', 0.125],
  ])('%j is %d', (typed, value) => {
    expect(readNumber(typed, real)).toEqual({ kind: 'value', value });
  });

  it.each(['12a', '0x10', 'Infinity', 'NaN', '1.2.3', '1,2,3', '-', '.', '1 000', 'e3', '12 rpm'])(
    '%j is none',
    (typed) => {
      expect(readNumber(typed, real)).toEqual({ kind: 'fault', fault: { kind: 'notNumber' } });
    },
  );

  it('may end with the unit of its field', () => {
    expect(readNumber('800 Hz', whole)).toEqual({ kind: 'value', value: 800 });
  });

  it('is ambiguous with a comma that may group thousands', () => {
    const fault = { kind: 'ambiguous', whole: '1440', decimal: '1.44' };
    expect(readNumber('1,440', real)).toEqual({ kind: 'fault', fault });
  });

  it('must be whole if the schema says so, and small enough to be stored exactly', () => {
    expect(readNumber('1.5', whole)).toMatchObject({ fault: { kind: 'notWhole' } });
    expect(readNumber('90071992547409931', whole)).toMatchObject({ fault: { kind: 'tooLarge' } });
    expect(readNumber('1e999', real)).toMatchObject({ fault: { kind: 'tooLarge' } });
  });

  it('reads back every number as it is shown', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(readNumber(String(value), real)).toEqual({ kind: 'value', value: value === 0 ? 0 : value });
      }),
    );
  });

  it('never gives a value that JSON cannot hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,-+eE HzxN∞') }), (typed) => {
        const read = readNumber(typed, real);
        if (read.kind === 'value') expect(JSON.parse(JSON.stringify(read.value))).toBe(read.value);
      }),
    );
  });
});

describe('a typed duration', () => {
  it('is kept as it was typed', () => {
    expect(readDuration(' 1m30s ')).toEqual({ kind: 'value', value: '1m30s' });
  });

  it.each(['5', 'soon', '1 m', '1x'])('%j is not a duration', (typed) => {
    expect(readDuration(typed)).toEqual({ kind: 'fault', fault: { kind: 'notDuration' } });
  });
});

describe('a step', () => {
  it('keeps decimals as people write them', () => {
    const share = { type: 'number', minimum: 0, maximum: 1 } as const;
    expect(stepped(share, 0.1, 1)).toBe(0.11);
    expect(stepped(share, 0.29, 1)).toBe(0.3);
    expect(stepped(share, 1, 1)).toBe(1);
    expect(stepped(share, 0, -10)).toBe(0);
  });

  it('without a value starts at the default', () => {
    expect(stepped({ type: 'integer', default: 800 }, undefined, 1)).toBe(801);
  });

  it('that starts in the range stays in it', () => {
    const schema = { type: 'number', exclusiveMinimum: 0, maximum: 100 } as const;
    fc.assert(
      fc.property(fc.double({ min: 1, max: 100, noNaN: true }), fc.integer({ min: -20, max: 20 }), (value, steps) => {
        const next = stepped(schema, value, steps);
        expect(next).toBeGreaterThan(0);
        expect(next).toBeLessThanOrEqual(100);
      }),
    );
  });
});
