import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuzzyScore } from './fuzzy.ts';

const titles = ['Go to Control', 'Go to Configure', 'climate', 'Use the dark theme', 'left-front', 'left'];
const best = (typed: string): string[] =>
  titles
    .flatMap((title) => {
      const score = fuzzyScore(typed, title);
      return score === undefined ? [] : [{ title, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ title }) => title);

describe('fuzzy search', () => {
  it.each<[string, string[]]>([
    ['go co', ['Go to Control', 'Go to Configure']],
    ['conf', ['Go to Configure']],
    ['dark', ['Use the dark theme']],
    ['gtc', ['Go to Control', 'Go to Configure']],
    ['clmt', ['climate']],
    ['left', ['left', 'left-front']],
    ['front', ['left-front']],
    ['zebra', []],
    ['dark zebra', []],
  ])('%s', (typed, found) => {
    expect(best(typed)).toEqual(found);
  });

  it('also matches the detail, with a lower score than the title', () => {
    const said = fuzzyScore('control', 'left', 'motor · open in Control') ?? 0;
    expect(said).toBeGreaterThan(0);
    expect(fuzzyScore('control', 'Go to Control')).toBeGreaterThan(said);
  });

  it('always matches a title that starts with the text, and needs every typed word', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(word, word, (first, second) => {
        expect(fuzzyScore(first, `${first} ${second}`)).toBeGreaterThan(0);
        expect(fuzzyScore(`${first} 0`, `${first} ${second}`)).toBeUndefined();
      }),
    );
  });
});
