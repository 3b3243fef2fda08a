import { describe, expect, it } from 'vitest';
import { fieldTime, lineTime, localTime, timeModeOf, timeOfField } from './log-times.ts';

const at = new Date(2026, 10, 21, 10, 42, 7, 120).getTime();

describe('times', () => {
  it('of a line are of this computer, of the world, or an age, with the day where it is another', () => {
    expect(lineTime(at, 'local', at + 1_000)).toBe('10:42:07.120');
    expect(lineTime(at, 'local', at + 86_400_000)).toBe('2026-11-21 10:42:07.120');
    const utc = new Date(at).toISOString();
    expect(lineTime(at, 'utc', at)).toBe(utc.slice(11));
    expect(lineTime(at, 'utc', at + 2 * 86_400_000)).toBe(utc.replace('T', ' '));
    expect(lineTime(at, 'age', at + 125_000)).toBe('2 min');
  });

  it('go into a field and come back to the second', () => {
    expect(fieldTime(at)).toBe('2026-11-21T10:42:07');
    expect(timeOfField(fieldTime(at))).toBe(at - 120);
    expect([fieldTime(undefined), timeOfField(''), timeOfField('x')]).toEqual(['', undefined, undefined]);
    expect(localTime(at)).toBe('2026-11-21 10:42:07.120');
  });

  it('are shown as was chosen last', () => {
    expect([timeModeOf('utc'), timeModeOf(null), timeModeOf('x')]).toEqual(['utc', 'local', 'local']);
  });
});
