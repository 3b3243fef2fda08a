import { describe, expect, it } from 'vitest';
import { settingsOf, typedOf, wholeNumber } from './training-settings.ts';

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

  const settings = {
    ...{ python: '/usr/bin/python3', jobsAtOnce: 1, cpus: 2, memoryMb: 4096, diskMb: 10, timeLimitMinutes: 60 },
    runner: 'slurm',
    slurm: { sharedFolder: '/shared', partition: 'long', account: '', options: ['--qos=long', '--gres=gpu:1'] },
  };

  it('are the same as those that were read', () => {
    expect(settingsOf(typedOf(settings))).toEqual(settings);
    const local = { ...settings, runner: 'local', slurm: undefined };
    expect(settingsOf(typedOf(local))).toMatchObject({ runner: 'local', slurm: { sharedFolder: '', options: [] } });
  });

  it('are complete only if each is valid', () => {
    const typed = typedOf(settings);
    expect(settingsOf({ ...typed, python: 'python3' })).toBeUndefined();
    expect(settingsOf({ ...typed, cpus: 'two' })).toBeUndefined();
    expect(settingsOf({ ...typed, sharedFolder: ' ' })).toBeUndefined();
    expect(settingsOf({ ...typed, sharedFolder: '', runner: 'local' })).toBeDefined();
  });
});
