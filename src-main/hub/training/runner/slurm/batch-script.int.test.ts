import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../training-settings.ts';
import { batchScript, quoted, sbatchArguments } from './batch-script.ts';

const settings = { ...defaultSettings(4, 2 ** 33), timeLimitMinutes: 90 };
const slurm = { sharedFolder: '/s', partition: '', account: '', options: [] };

describe('the input of sbatch', () => {
  it('has the limits of the settings, and room for the supervisor', () => {
    expect(sbatchArguments('armature-x', '/s/armature-x', { ...settings, slurm }, '/s/armature-x/job.sh')).toEqual([
      '--parsable',
      '--job-name=armature-x',
      '--nodes=1',
      '--ntasks=1',
      '--cpus-per-task=2',
      '--mem=4160M',
      '--time=92',
      '--no-requeue',
      '--chdir=/s/armature-x',
      '--output=/s/armature-x/out.log',
      '--error=/s/armature-x/err.log',
      '/s/armature-x/job.sh',
    ]);
  });

  it('has partition, account and more options if they are set, before the script', () => {
    const more = { ...slurm, partition: 'gpu', account: 'lab', options: ['--gres=gpu:1'] };
    const args = sbatchArguments('armature-x', '/s/x', { ...settings, slurm: more }, '/s/x/job.sh');
    expect(args.slice(-4)).toEqual(['--partition=gpu', '--account=lab', '--gres=gpu:1', '/s/x/job.sh']);
  });

  it('runs the supervisor, which writes its report to a file', () => {
    expect(batchScript("/it's here", '/usr/bin/python3', { PYTHONPATH: '/a b' })).toBe(`#!/bin/sh
# A training of Armature.
umask 077
export PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME='/it'\\''s here/temporary' TMPDIR='/it'\\''s here/temporary' PYTHONPATH='/a b'
exec '/usr/bin/python3' -I supervise.py "$(cat supervision.json)" 3>end.json
`);
  });

  it.each(['', 'plain', 'two words', `it's`, '"$(id)" `id` \\ ; & | * ?', "''", '-n', 'a\nb', 'ü'])(
    'is one word for a shell: %j',
    (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${quoted(text)}`]).toString()).toBe(text);
    },
  );
});
