import { existsSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../../../base/clock.ts';
import { failed } from '../script/script-result.ts';
import type { TrainingResult } from '../training-runner.ts';
import { sbatchArguments } from './batch-script.ts';
import { submittedId } from './job-state.ts';
import { BATCH_SCRIPT, OUTPUT_FILES } from './run-files.ts';
import type { RunRecord } from './run-record.ts';
import { askSlurm, isUnreachable } from './slurm-programs.ts';
import type { SlurmRunOptions } from './slurm-run.ts';

export type Submission = { readonly kind: 'submitted'; readonly record: RunRecord } | TrainingResult;

/**
 * Submits a run to Slurm exactly once. If sbatch was already run, by this hub or before it was killed, looks for the
 * job by its name first. Waits while Slurm cannot be reached.
 */
export async function submit(options: SlurmRunOptions): Promise<Submission> {
  const { queue, events, signal, leaving, clock, times, save } = options;
  let { record } = options;
  const submitted = async (slurmId: string): Promise<Submission> => {
    record = { ...record, slurmId };
    await save(record);
    return { kind: 'submitted', record };
  };
  if (record.slurmId !== '') return { kind: 'submitted', record };
  const either = AbortSignal.any([signal, leaving]);
  let noNewsSince: number | undefined;
  for (;;) {
    if (leaving.aborted) return { kind: 'left' };
    if (signal.aborted && !record.isSubmitted) return { kind: 'ended' };
    let trouble = '';
    if (record.isSubmitted) {
      const news = await queue.ask();
      trouble = news.trouble;
      if (trouble === '') {
        const found = news.jobs.find(({ name }) => name === record.name);
        if (found !== undefined) return await submitted(found.id);
        // Slurm has run the job and forgotten it. The files that it left show how it ended.
        if (existsSync(path.join(record.folder, OUTPUT_FILES.out))) return await submitted('');
        if (signal.aborted) return { kind: 'ended' };
      }
    }
    if (trouble === '') {
      // Stored before sbatch is started: after a kill nobody knows how far sbatch got.
      record = { ...record, isSubmitted: true };
      await save(record);
      const { name, folder, settings } = record;
      const answer = await askSlurm('sbatch', sbatchArguments(name, folder, settings, path.join(folder, BATCH_SCRIPT)));
      const id = answer.isDone ? submittedId(answer.output) : undefined;
      if (id !== undefined) return await submitted(id);
      trouble = answer.words;
      if (!isUnreachable(trouble)) {
        return failed('call.failed_precondition', `Slurm does not take the job: ${trouble}`);
      }
    }
    const note = `Slurm does not answer now, and gets the job as soon as it does: ${trouble}`;
    noNewsSince ??= queue.news.noNewsSince ?? clock.now();
    events.state({ isWaiting: true, note, noNewsSince });
    await sleep(clock, times.askMs, signal.aborted ? leaving : either);
  }
}
