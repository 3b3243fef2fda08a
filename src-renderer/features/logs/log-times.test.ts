import { describe, expect, it } from 'vitest';
import { lineTime, timeModeOf } from './log-times.ts';

const at = new Date(2026, 10, 21, 10, 42, 7, 120).getTime();

describe('times', () => {
  it('of a line are local, UTC or an age, with the day if it is another one', () => {
    expect(lineTime(at, 'local', at + 1_000)).toBe('10:42:07.120');
    expect(lineTime(at, 'local', at + 86_400_000)).toBe('2026-11-21 10:42:07.120');
    const utc = new Date(at).toISOString();
    expect(lineTime(at, 'utc', at)).toBe(utc.slice(11));
    expect(lineTime(at, 'utc', at + 2 * 86_400_000)).toBe(utc.replace('T', ' '));
    expect(lineTime(at, 'age', at + 125_000)).toBe('2 min');
  });

  it('are shown in the mode chosen last', () => {
    expect([timeModeOf('utc'), timeModeOf(null), timeModeOf('x')]).toEqual(['utc', 'local', 'local']);
  });
});
