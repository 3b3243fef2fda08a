import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ModelType } from '../../../../../proto/gen/core/app/mltraining/v1/ml_training.ts';
import { systemClock } from '../../../../base/clock.ts';
import { defaultSettings } from '../../training-settings.ts';
import { RunRecords } from './run-record.ts';
import { SlurmRunner } from './slurm-runner.ts';

/** Tests that need a cluster are in `e2e/slurm`. */
describe('training on Slurm where no programs may be started', () => {
  let folder = '';

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'armature-slurm-runner-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const runner = (): SlurmRunner =>
    new SlurmRunner({
      folder,
      settings: () => Promise.resolve({ ...defaultSettings(), runner: 'slurm' }),
      clock: systemClock,
      isUntrusted: true,
    });
  const run = (): ReturnType<SlurmRunner['run']> => {
    const rest = { modelType: ModelType.OBJECT_DETECTION, labels: [], snapshot: '' };
    const task = { jobId: 'job', ...rest, writeDataset: () => Promise.reject(new Error('not asked for')) };
    const stored = (): Promise<void> => Promise.resolve();
    const events = { log: () => undefined, epoch: () => undefined, state: () => undefined, stored };
    return runner().run(task, events, new AbortController().signal);
  };

  it('is refused', async () => {
    await expect(runner().check()).rejects.toThrow(/^Nothing is trained here: .*-untrusted-env/);
    expect(await run()).toMatchObject({ kind: 'failed', code: 'training.unavailable' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not followed, but its record is kept for a start with programs', async () => {
    const records = new RunRecords(folder);
    await records.save('job', {
      ...{ isPreparing: false, folder: path.join(folder, 'run'), name: 'armature-job', settings: defaultSettings() },
      ...{ isSubmitted: true, slurmId: '7', hasBegun: true, positions: { out: 0, err: 0 } },
    });
    expect(await runner().holds('job')).toBe(true);
    const message = expect.stringMatching(/^Job 7 \(armature-job\) of Slurm is not followed.*-untrusted-env/) as string;
    expect(await run()).toMatchObject({ kind: 'failed', message });
    await runner().start([]);
    expect(await records.list()).toEqual(['job']);
  });
});
