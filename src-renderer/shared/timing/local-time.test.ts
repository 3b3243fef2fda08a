import { describe, expect, it } from 'vitest';
import { fieldTime, isSameDay, localDay, localTime, timeOfField } from './local-time.ts';

const at = new Date(2026, 10, 21, 10, 42, 7, 120).getTime();

describe('times of this computer', () => {
  it('go into a field and come back to the second', () => {
    expect(fieldTime(at)).toBe('2026-11-21T10:42:07');
    expect(timeOfField(fieldTime(at))).toBe(at - 120);
    expect([fieldTime(undefined), timeOfField(''), timeOfField('x')]).toEqual(['', undefined, undefined]);
  });

  it('are written with their day', () => {
    expect([localTime(at), localDay(at)]).toEqual(['2026-11-21 10:42:07.120', '2026-11-21']);
    expect([isSameDay(at, at + 3_600_000), isSameDay(at, at + 86_400_000)]).toEqual([true, false]);
  });
});
