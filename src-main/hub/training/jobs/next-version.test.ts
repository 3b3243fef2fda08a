import { describe, expect, it } from 'vitest';
import { nextVersion } from './next-version.ts';

describe('the next version of a model', () => {
  it.each([
    [[], '1'],
    [['1'], '2'],
    [['9', '10', '2'], '11'],
    [['1.2.3', '1.10.0'], '1.10.1'],
    [['2026-06-01T10-00-09'], '2026-06-01T10-00-10'],
    [['v1'], 'v2'],
    [['first'], 'first-2'],
    [['first', 'first-2'], 'first-3'],
    [['1-rc9', '1-rc10'], '1-rc11'],
  ])('after %j is %s', (taken, next) => {
    expect(nextVersion(taken)).toBe(next);
  });
});
