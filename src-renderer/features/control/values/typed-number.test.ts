import { describe, expect, it } from 'vitest';
import { readTyped } from './typed-number.ts';

const limits = { min: -100, max: 100 };

describe('a typed number', () => {
  it.each([
    ['', { kind: 'empty' }],
    ['  ', { kind: 'empty' }],
    ['20', { kind: 'value', value: 20 }],
    ['−1,5', { kind: 'value', value: -1.5 }],
    ['+.5', { kind: 'value', value: 0.5 }],
    ['1e2', { kind: 'value', value: 100 }],
    ['12,345', { kind: 'wrong', why: 'comma' }],
    ['−1,234.5', { kind: 'wrong', why: 'comma' }],
    ['0,125', { kind: 'value', value: 0.125 }],
    ['100.1', { kind: 'wrong', why: 'range' }],
    ['-', { kind: 'wrong', why: 'number' }],
    ['12a', { kind: 'wrong', why: 'number' }],
    ['0x10', { kind: 'wrong', why: 'number' }],
    ['1 000', { kind: 'wrong', why: 'number' }],
    ['1e999', { kind: 'wrong', why: 'number' }],
    ['Infinity', { kind: 'wrong', why: 'number' }],
  ])('%j is %j', (text, expected) => {
    expect(readTyped(text, limits)).toEqual(expected);
  });

  it('is refused with a fraction where only whole numbers are allowed', () => {
    expect(readTyped('1.5', { ...limits, isWhole: true })).toEqual({ kind: 'wrong', why: 'whole' });
    expect(readTyped('2', { ...limits, isWhole: true })).toEqual({ kind: 'value', value: 2 });
  });
});
