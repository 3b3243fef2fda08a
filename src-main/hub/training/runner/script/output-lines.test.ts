import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputLines } from './output-lines.ts';

function linesOf(chunks: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const output = new OutputLines((line) => lines.push(line));
  for (const chunk of chunks) output.write(chunk);
  output.end();
  return lines;
}

describe('lines of a process', () => {
  it('are the same however they are chunked, even within a character', () => {
    const character = fc.constantFrom('a', 'µ', '€', '😀', ' ');
    const text = fc.string({ unit: character, maxLength: 20 }).filter((line) => line.trim() !== '');
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat(60)), (lines, cuts) => {
        const bytes = Buffer.from(lines.join('\n'));
        const places = [...new Set([0, ...cuts, bytes.length])]
          .filter((at) => at <= bytes.length)
          .sort((a, b) => a - b);
        const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        expect(linesOf(chunks)).toEqual(lines);
      }),
    );
  });

  it('end at a carriage return, and empty ones are left out', () => {
    expect(linesOf([Buffer.from('10 %\r20 %\r\n\n  \ndone')])).toEqual(['10 %', '20 %', 'done']);
  });

  it('that never end take no more memory than the limit', () => {
    const lines = linesOf([...Array.from({ length: 100 }, () => Buffer.alloc(65_536, 'x')), Buffer.from('\nnext\n')]);
    expect(lines.map(({ length }) => length)).toEqual([16_384, 4]);
  });
});
