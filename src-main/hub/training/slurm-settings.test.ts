import { describe, expect, it } from 'vitest';
import { requireSlurmSettings, type SlurmSettings } from './slurm-settings.ts';

const good: SlurmSettings = {
  sharedFolder: '/home/shared/training',
  partition: 'gpu,long',
  account: 'lab-1',
  options: ['--qos=long', '--gres=gpu:1', '--exclusive'],
};

describe('settings of Slurm', () => {
  it('are accepted, and may be left out if jobs run on this computer', () => {
    expect(() => requireSlurmSettings(good, true)).not.toThrow();
    expect(() => requireSlurmSettings(undefined, false)).not.toThrow();
    expect(() => requireSlurmSettings({ ...good, sharedFolder: '' }, false)).not.toThrow();
  });

  it.each<[string, Partial<SlurmSettings>, RegExp]>([
    ['no folder', { sharedFolder: '' }, /"slurm\.shared_folder" is "".*all nodes see/],
    ['part of a path', { sharedFolder: 'shared' }, /"slurm\.shared_folder" is "shared".*whole path/],
    ['a path that Slurm changes', { sharedFolder: '/a/%j' }, /"slurm\.shared_folder" is "\/a\/%j"/],
    ['a line end in a path', { sharedFolder: '/a\n/b' }, /"slurm\.shared_folder"/],
    ['an option as a partition', { partition: '--wrap=x' }, /"slurm\.partition" is "--wrap=x"/],
    ['words as an account', { account: 'a b' }, /"slurm\.account" is "a b"/],
    ['a word as an option', { options: ['qos'] }, /"slurm\.options" is "qos".*--name=value/],
    ['a short option', { options: ['-q'] }, /"slurm\.options" is "-q"/],
    ['an option in two words', { options: ['--qos long'] }, /"slurm\.options" is "--qos long"/],
    [
      'an option that is set for each job',
      { options: ['--time=1'] },
      /"slurm\.options" is "--time=1".*settings of their own/,
    ],
    ['the beginning of such an option', { options: ['--job=x'] }, /"slurm\.options" is "--job=x"/],
    ['many options', { options: Array.from({ length: 21 }, () => '--exclusive') }, /21 options.*at most 20/],
  ])('with %s are refused, naming the field', (_what, change, message) => {
    expect(() => requireSlurmSettings({ ...good, ...change }, true)).toThrow(message);
  });
});
