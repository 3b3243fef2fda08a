import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { countAlreadyStored } from './already-stored.ts';

it.each([
  ['nothing of a hub that is empty', ['a', 'b'], [], 0],
  ['what another program told', ['a', 'b', 'c'], ['c', 'b', 'a'], 3],
  ['up to what only this program saw', ['a', 'b', 'c', 'd'], ['c', 'b', 'a'], 3],
  ['a change that this program was too slow to see', ['a', 'c'], ['c', 'b', 'a'], 2],
  ['the text that was stored before, and not that it came back later', ['a', 'b', 'a', 'c'], ['a', 'x'], 1],
  ['nothing where the newest version is none of them', ['a', 'b'], ['x', 'b', 'a'], 0],
])('passes over %s', (_what, waiting, stored, count) => {
  expect(countAlreadyStored(waiting, stored)).toBe(count);
});

it('tells a history neither twice nor with gaps, whatever two programs saw of one file', () => {
  const history = fc.uniqueArray(fc.nat(100).map(String), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(history, fc.nat(12), fc.nat(12), (texts, began, tookOver) => {
      const told = texts.slice(0, Math.max(1, tookOver));
      // It saw every change since its start, which was before the other program ended.
      const seen = texts.slice(Math.min(began, told.length - 1));
      expect([...told, ...seen.slice(countAlreadyStored(seen, [...told].reverse()))]).toEqual(texts);
    }),
  );
});

it('always tells the last text, also of a file that goes back and forth', () => {
  const history = fc.array(fc.nat(3).map(String), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(history, history, (waiting, told) => {
      const rest = waiting.slice(countAlreadyStored(waiting, [...told].reverse()));
      expect([...told, ...rest].at(-1)).toBe(waiting.at(-1));
    }),
  );
});
