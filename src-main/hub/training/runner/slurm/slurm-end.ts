import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../../base/errors.ts';
import { failed, tookTooLong, tookTooMuchMemory } from '../script/script-result.ts';
import type { TrainingResult } from '../training-runner.ts';
import { exitCodeIn, type SlurmJob } from './job-state.ts';
import type { RunRecord } from './run-record.ts';
import { askSlurm } from './slurm-programs.ts';

/** Exit status of a shell that does not find a program. */
const NOT_FOUND = 127;
/** With less free space there is no room even for the report of the supervisor. */
const MIN_FREE_BYTES = 65_536;

/** Why a Slurm job ended without a report of its supervisor, with Slurm's reason and the next step. */
export async function slurmFailure(job: SlurmJob, record: RunRecord): Promise<TrainingResult> {
  const { id, state, reason, nodes } = job;
  const where = nodes === '' ? '' : ` on ${nodes}`;
  switch (state) {
    case 'TIMEOUT':
      return tookTooLong(record.settings);
    case 'OUT_OF_MEMORY':
      return tookTooMuchMemory(record.settings);
    case 'NODE_FAIL':
    case 'BOOT_FAIL':
      return failed(
        'peer.unreachable',
        `The node${nodes === '' ? '' : ` ${nodes}`} failed while it trained (Slurm job ${id}: ${state}): submit the job again.`,
      );
    case 'CANCELLED':
    case 'REVOKED':
      return failed(
        'call.cancelled',
        `Slurm job ${id} was canceled in Slurm, not here: ask who did, and submit it again.`,
      );
    case 'PREEMPTED':
      return failed(
        'call.overloaded',
        `Slurm gave the node of job ${id} to another one (PREEMPTED): submit it again, or choose another partition in the settings of training.`,
      );
    case 'DEADLINE':
      return failed('call.deadline_exceeded', `Slurm job ${id} could not end before its deadline: submit it again.`);
    default:
      break;
  }
  const trouble = await folderTrouble(record.folder);
  if (trouble !== undefined) return trouble;
  const code = await exitCodeOf(id);
  if (code?.status === NOT_FOUND) {
    const { python } = record.settings;
    return failed(
      'training.unavailable',
      `Python, which training needs, is not there at ${python}${where}: install it on the nodes, or choose another Python in the settings of training.`,
    );
  }
  const why = reason === '' || reason === 'None' ? '' : `, ${reason}`;
  const exit =
    code === undefined ? '' : `, exit code ${code.status}${code.signal === 0 ? '' : ` by signal ${code.signal}`}`;
  return failed(
    'internal.bug',
    `Slurm job ${id} ended${where} without a report (${state}${why}${exit}): look at the log of the job, and at Slurm's log of the node.`,
  );
}

/** The failure of a job that Slurm no longer knows and that left no report. */
export async function forgottenFailure({ slurmId, name, folder }: RunRecord): Promise<TrainingResult> {
  const trouble = await folderTrouble(folder);
  if (trouble !== undefined) return trouble;
  const called = slurmId === '' ? `the job ${name}` : `job ${slurmId}`;
  return failed(
    'peer.unreachable',
    `Slurm no longer knows ${called}, which left no report: Slurm's controller may have lost its state. Submit the job again.`,
  );
}

/** Checks whether the folder of a run is missing, unreadable or full; undefined if it is fine. */
async function folderTrouble(folder: string): Promise<TrainingResult | undefined> {
  const shared = path.dirname(folder);
  try {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize >= MIN_FREE_BYTES) return undefined;
    return failed('store.full', `The shared folder ${shared} is full: make room, and submit the job again.`);
  } catch (thrown) {
    const why = codeOf(thrown) === 'ENOENT' ? 'is gone' : `cannot be read (${codeOf(thrown)})`;
    return failed(
      'file.unreadable',
      `The folder of the training, ${folder}, ${why}: look whether ${shared} is there on this computer and on the nodes, and submit the job again.`,
    );
  }
}

async function exitCodeOf(id: string): Promise<ReturnType<typeof exitCodeIn>> {
  try {
    return exitCodeIn((await askSlurm('scontrol', ['--oneliner', 'show', 'job', id])).output);
  } catch {
    // The message works without it.
    return undefined;
  }
}
