import { describe, expect, it } from 'vitest';
import type { ConfigResult } from '../../shared/machine/machine-view.ts';
import { createTexts } from '../../shared/text.ts';
import { resultWords, whenWords } from './version-words.ts';
import { versionOf } from './version.fixture.ts';

const t = createTexts();
const resultOf = (outcome: ConfigResult['outcome'], more: Partial<ConfigResult> = {}): ConfigResult => ({
  outcome,
  revision: 'r',
  message: 'why',
  at: 0,
  trial: undefined,
  returnedText: '',
  unready: [],
  deferred: undefined,
  ...more,
});

describe('when a version was stored', () => {
  const now = new Date(2026, 10, 21, 10, 42, 30).getTime();
  it.each([
    [new Date(2026, 10, 21, 10, 42, 10), 'just now'],
    // The hub's clock may be ahead.
    [new Date(2026, 10, 21, 10, 43, 10), 'just now'],
    [new Date(2026, 10, 21, 9, 5), '09:05'],
    [new Date(2026, 10, 21, 0, 0), '00:00'],
    [new Date(2026, 10, 20, 23, 59), 'yesterday 23:59'],
    [new Date(2026, 10, 19, 17, 20), '19 Nov 17:20'],
    [new Date(2025, 10, 18, 9, 58), '18 Nov 2025'],
    [new Date(0), 'unknown'],
  ])('%s: %s', (at, words) => {
    expect(whenWords(at.getTime(), now, t)).toBe(words);
  });
});

describe('the result of applying it', () => {
  it.each([
    [resultOf('applied', { tookMs: 2_100 }), 'ok', 'ready in 2.1 s'],
    [resultOf('applied', { tookMs: 3 }), 'ok', 'ready at once'],
    [resultOf('applied'), 'ok', 'ready'],
    [resultOf('applied-with-failures', { unready: ['a', 'b'] }), 'bad', '2 failed'],
    [resultOf('applied-with-failures'), 'bad', 'some failed'],
    [resultOf('returned'), 'warn', 'back to 6'],
    [resultOf('deferred'), 'warn', 'deferred'],
    [resultOf('rejected'), 'bad', 'refused'],
    [undefined, 'off', 'no report'],
  ] as const)('%j: %s, %s', (result, tone, words) => {
    expect(resultWords(versionOf(7, { result }), false, undefined, t)).toMatchObject({ tone, words });
  });

  it('for the stored version, uses what the machine reports now', () => {
    const version = versionOf(7, { result: resultOf('deferred') });
    expect(resultWords(version, true, resultOf('applying'), t).words).toBe('applying');
    expect(resultWords(version, false, resultOf('applying'), t).words).toBe('deferred');
    expect(resultWords(versionOf(7), true, undefined, t).words).toBe('pending');
    // Only the history has how long it took.
    const kept = versionOf(7, { result: resultOf('applied', { tookMs: 400 }) });
    expect(resultWords(kept, true, resultOf('applied'), t).words).toBe('ready in 400 ms');
    // This result is about another version: the one that was rolled back.
    expect(resultWords(kept, true, resultOf('returned'), t).words).toBe('ready in 400 ms');
  });
});
