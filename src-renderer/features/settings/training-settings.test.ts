import { describe, expect, it } from 'vitest';
import { settingsOf, wholeNumber } from './training-settings.ts';

describe('typed settings of training', () => {
  it.each([
    ['2', 2],
    [' 1024 ', 1024],
    ['0', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['', undefined],
  ])('“%s” is %s', (text, number) => expect(wholeNumber(text)).toBe(number));

  it('are whole only where each of them makes sense', () => {
    const typed = {
      python: '/usr/bin/python3',
      jobsAtOnce: '1',
      cpus: '2',
      memoryMb: '4096',
      diskMb: '10',
      timeLimitMinutes: '60',
    };
    expect(settingsOf(typed)).toEqual({
      ...{ python: '/usr/bin/python3', jobsAtOnce: 1, cpus: 2 },
      ...{ memoryMb: 4096, diskMb: 10, timeLimitMinutes: 60 },
    });
    expect(settingsOf({ ...typed, python: 'python3' })).toBeUndefined();
    expect(settingsOf({ ...typed, cpus: 'two' })).toBeUndefined();
  });
});
