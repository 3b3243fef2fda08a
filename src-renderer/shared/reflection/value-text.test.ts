import { describe, expect, it } from 'vitest';
import type { ValueInput } from './request-form.ts';
import { emptyValue, parseText, textOf } from './value-text.ts';

const uint8: ValueInput = { kind: 'whole', minimum: 0n, maximum: 255n, isString: false };
const int64: ValueInput = { kind: 'whole', minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n, isString: true };
const float: ValueInput = { kind: 'decimal', largest: 100 };
const bytes: ValueInput = { kind: 'bytes' };

describe('a typed text', () => {
  it.each<[string, ValueInput, unknown]>([
    [' 255 ', uint8, 255],
    ['9223372036854775807', int64, '9223372036854775807'],
    ['−1', int64, '-1'],
    ['1,5', float, 1.5],
    ['-2e1', float, -20],
    ['NaN', float, 'NaN'],
    ['2026-11-21T10:00:00+01:00', { kind: 'time' }, '2026-11-21T10:00:00+01:00'],
    ['1,5', { kind: 'duration' }, '1.5s'],
    ['{"a":[1]}', { kind: 'json', empty: 'object' }, { a: [1] }],
    [' a ', { kind: 'text' }, ' a '],
  ])('%j is a value', (text, input, value) => {
    expect(parseText(input, text)).toEqual({ value });
  });

  it.each<[string, ValueInput, unknown]>([
    ['256', uint8, { kind: 'range', minimum: '0', maximum: '255' }],
    ['1.5', uint8, { kind: 'whole' }],
    ['', uint8, { kind: 'whole' }],
    ['9223372036854775808', int64, { kind: 'range', minimum: `${-(2n ** 63n)}`, maximum: `${2n ** 63n - 1n}` }],
    ['', float, { kind: 'decimal' }],
    ['101', float, { kind: 'range', minimum: '-100', maximum: '100' }],
    ['tomorrow', { kind: 'time' }, { kind: 'time' }],
    ['2026-13-01T00:00:00Z', { kind: 'time' }, { kind: 'time' }],
    ['3 min', { kind: 'duration' }, { kind: 'duration' }],
    ['315576000001', { kind: 'duration' }, { kind: 'range', minimum: '-315576000000', maximum: '315576000000' }],
    ['{', { kind: 'json', empty: 'object' }, { kind: 'json' }],
  ])('%j is not valid', (text, input, problem) => {
    expect(parseText(input, text)).toEqual({ problem });
  });

  it('of bytes is in hex or in base64', () => {
    expect(parseText(bytes, '0x01 fF:2a', 'hex')).toEqual({ value: 'Af8q' });
    expect(textOf(bytes, 'Af8q', 'hex')).toBe('01 ff 2a');
    expect(parseText(bytes, '012', 'hex')).toEqual({ problem: { kind: 'hex' } });
    expect(parseText(bytes, 'Af8q', 'base64')).toEqual({ value: 'Af8q' });
    expect(parseText(bytes, '_-8', 'base64')).toEqual({ value: '/+8=' });
    expect(parseText(bytes, '*', 'base64')).toEqual({ problem: { kind: 'base64' } });
  });
});

describe('a value that is asked for', () => {
  it('is empty, and a time is the current one', () => {
    const now = new Date('2026-11-21T10:00:00Z');
    expect([uint8, int64, float, bytes].map((input) => emptyValue(input, now))).toEqual([0, '0', 0, '']);
    expect(emptyValue({ kind: 'time' }, now)).toBe('2026-11-21T10:00:00.000Z');
    expect(emptyValue({ kind: 'duration' }, now)).toBe('0s');
    expect(emptyValue({ kind: 'choice', names: ['MODE_A', 'MODE_B'] }, now)).toBe('MODE_A');
  });
});
