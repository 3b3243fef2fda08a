import { describe, expect, it } from 'vitest';
import type { RunnerKind } from '../training-settings.ts';
import { ScriptedRunner } from '../testing/scripted-runner.ts';
import { ChosenRunner } from './chosen-runner.ts';

describe('the runner that the settings choose', () => {
  it('runs new tasks, while the runner that holds a task follows it to its end', async () => {
    let kind: RunnerKind = 'local';
    const runners = { local: new ScriptedRunner(), slurm: new ScriptedRunner() };
    const chosen = new ChosenRunner(runners, () => Promise.resolve(kind));
    const begin = async (jobId: string): Promise<void> => {
      const task = { jobId, modelType: 1, labels: [], snapshot: '', writeDataset: () => Promise.resolve() } as const;
      const stored = (): Promise<void> => Promise.resolve();
      const events = { log: () => undefined, epoch: () => undefined, state: () => undefined, stored };
      const ended = new AbortController();
      const running = chosen.run(task, events, ended.signal);
      ended.abort();
      expect(await running).toEqual({ kind: 'ended' });
    };
    const idsOf = (runner: ScriptedRunner): string[] => runner.runs.map(({ task }) => task.jobId);

    await begin('one');
    kind = 'slurm';
    await begin('two');
    expect(await chosen.kind()).toBe('slurm');
    kind = 'local';
    runners.slurm.held.add('two');
    expect([await chosen.holds('one'), await chosen.holds('two')]).toEqual([false, true]);
    await begin('two');
    expect([idsOf(runners.local), idsOf(runners.slurm)]).toEqual([['one'], ['two', 'two']]);

    runners.slurm.trouble = new Error('no sbatch');
    await expect(chosen.check()).resolves.toBeUndefined();
    kind = 'slurm';
    await expect(chosen.check()).rejects.toThrow('no sbatch');
  });
});
