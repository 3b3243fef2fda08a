import { describe, expect, it } from 'vitest';
import { optionNamed, pickOptions } from './pick-options.ts';

const pins = [
  { value: '15', label: 'GPIO22', detail: 'pin 15', group: 'Free' },
  { value: '5', label: 'GPIO3', detail: 'pin 5', group: 'Used by left' },
  { value: '22', label: 'GPIO25', detail: 'pin 22', group: 'Free' },
];
const listed = (typed: string) =>
  pickOptions(pins, typed).groups.map(({ name, options }) => [name, ...options.map(({ value }) => value)]);

describe('the options of a list', () => {
  it('are all, in their order, before anything is typed', () => {
    expect(listed(' ')).toEqual([
      ['Free', '15', '22'],
      ['Used by left', '5'],
    ]);
  });

  it('are those that contain the words, the exact value first', () => {
    expect(listed('5')).toEqual([
      ['Used by left', '5'],
      ['Free', '15', '22'],
    ]);
    expect(listed('gpio25')).toEqual([['Free', '22']]);
    expect(listed('free 15')).toEqual([['Free', '15']]);
    expect(listed('SPI')).toEqual([]);
  });

  it('are at most 100, with the number of those left out', () => {
    const many = Array.from({ length: 130 }, (_, index) => ({ value: `${index}`, label: `r${index}` }));
    const { groups, left } = pickOptions(many, 'r');
    expect([groups[0]?.options.length, left]).toEqual([100, 30]);
  });

  it('are found by the whole value or label, never by a part', () => {
    expect(optionNamed(pins, '15')?.label).toBe('GPIO22');
    expect(optionNamed(pins, ' gpio22 ')?.value).toBe('15');
    expect(optionNamed(pins, '1')).toBeUndefined();
  });
});
