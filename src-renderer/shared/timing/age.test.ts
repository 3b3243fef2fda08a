import { describe, expect, it } from 'vitest';
import { formatAge, formatSince, formatTime } from './age.ts';

describe('ages', () => {
  it.each([
    [-5, '0 ms'],
    [42, '40 ms'],
    [994, '990 ms'],
    [3240, '3.2 s'],
    [9999, '10.0 s'],
    [59_999, '59 s'],
    [125_000, '2 min'],
    [3 * 3_600_000, '3 h'],
    [72 * 3_600_000, '3 d'],
  ])('%d ms is %s', (ageMs, text) => {
    expect(formatAge(ageMs)).toBe(text);
  });

  it('shows the date of a time that is not today', () => {
    const at = new Date(2026, 10, 21, 9, 5).getTime();
    expect(formatSince(at, new Date(2026, 10, 21, 23, 59).getTime())).toBe('09:05');
    expect(formatSince(at, new Date(2026, 10, 22, 0, 1).getTime())).toBe('2026-11-21 09:05');
  });

  it('shows the time of day in two digits each, and milliseconds', () => {
    expect(formatTime(new Date(2026, 10, 21, 9, 5, 7, 4).getTime())).toBe('09:05:07.004');
  });
});
