import { describe, expect, it } from 'vitest';
import { NumberFinder } from './find-number.ts';

describe('the number in a text', () => {
  it.each([
    ['', ' 42500\n', 42_500],
    ['', '-1.5e-3', -0.0015],
    ['(\\d+) kB', 'MemFree:  123 kB', 123],
    ['\\d+', 'MemFree:  123 kB', 123],
    ['^Cached:\\s+(\\d+)', 'MemFree: 1\nCached: 22\n', 22],
    ['a(x)?7', 'a7', undefined],
  ])('pattern %j in %j is %j', (regex, text, number) => {
    const find = () => new NumberFinder(regex).find(text);
    if (number === undefined) expect(find).toThrow('which is not a number');
    else expect(find()).toBe(number);
  });

  it('is missed with the pattern and what was found instead', () => {
    expect(() => new NumberFinder('t=(\\d+)').find('crc=e1 NO')).toThrow(
      '"regex" t=(\\d+) matches nothing in "crc=e1 NO"',
    );
    expect(() => new NumberFinder('(N.)').find('crc=e1 NO')).toThrow('"regex" (N.) finds "NO", which is not a number');
    expect(() => new NumberFinder('').find('')).toThrow('the file holds nothing: it is empty, which is not a number');
    expect(() => new NumberFinder('').find('1,5')).toThrow('the file holds "1,5", which is not a number');
    expect(() => new NumberFinder('').find('0x10')).toThrow('not a number');
    expect(() => new NumberFinder('').find('9'.repeat(1_000))).toThrow('and 940 characters more');
    expect(() => new NumberFinder('(')).toThrow('is no pattern: missing closing )');
  });

  it('is looked for in a time that grows with the text, whatever the pattern', () => {
    // Matching backtracks exponentially. The long limit only matters if the test hangs.
    const finder = new NumberFinder('(a+)+$', 20_000);
    expect(() => finder.find(`${'a'.repeat(1_000)}!`)).toThrow('matches nothing');
  });

  it('a large pattern is given up on in a large text, and works on in the next one', () => {
    const finder = new NumberFinder('(?:a?){300}(7|8)');
    expect(() => finder.find(`${'a'.repeat(64_000)}8`)).toThrow('was not done after 50 ms: make it simpler');
    expect(finder.find('8')).toBe(8);
  });
});
