import { constants } from 'node:fs';
import { access, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, codeOf, isNoSpace, toArmatureError } from '../../../../base/errors.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { TrainingSettings } from '../../training-settings.ts';
import { prepareRunFolder } from '../script/run-folder.ts';
import { failed, originOf } from '../script/script-result.ts';
import type { Supervision } from '../script/supervision.ts';
import { builtInScript, type TrainingScript } from '../script/training-script.ts';
import type { TrainingEvents, TrainingResult, TrainingRunner, TrainingTask } from '../training-runner.ts';
import { batchScript } from './batch-script.ts';
import { BATCH_SCRIPT, SUPERVISION } from './run-files.ts';
import { RunRecords, type RunRecord } from './run-record.ts';
import { askSlurm } from './slurm-programs.ts';
import { SlurmQueue } from './slurm-queue.ts';
import { SlurmRun, type SlurmTimes } from './slurm-run.ts';
import { submit } from './slurm-submission.ts';

export interface SlurmRunnerOptions {
  /** Folder of the hub for the records of its runs. Created if it does not exist. */
  readonly folder: string;
  readonly settings: () => Promise<TrainingSettings>;
  readonly clock: Clock;
  /** `-untrusted-env`: no program is started. */
  readonly isUntrusted: boolean;
  /** Default: the hub's own. */
  readonly script?: () => Promise<TrainingScript>;
  /** Time between SIGTERM and SIGKILL. Default: 10 s. Slurm's own (KillWait) should be longer. */
  readonly graceSeconds?: number;
  readonly times?: SlurmTimes;
}

const DEFAULT_GRACE_S = 10;
const MiB = 2 ** 20;
const DEFAULT_TIMES: SlurmTimes = { askMs: 5_000, lookMs: 1_000, arrivalMs: 60_000 };

/** Runs trainings as jobs of a Slurm cluster, each in its own folder, which the nodes see too. They outlive the hub. */
export class SlurmRunner implements TrainingRunner {
  readonly #options: SlurmRunnerOptions;
  readonly #records: RunRecords;
  readonly #queue: SlurmQueue;
  readonly #times: SlurmTimes;

  constructor(options: SlurmRunnerOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_TIMES;
    this.#records = new RunRecords(options.folder);
    this.#queue = new SlurmQueue(options.clock, this.#times.askMs);
  }

  kind(): Promise<string> {
    return Promise.resolve('slurm');
  }

  /** Does not check whether the controller can be reached: a job waits for it. */
  async check(): Promise<void> {
    if (this.#options.isUntrusted) throw untrusted('Nothing is trained here');
    for (const program of ['sbatch', 'squeue', 'scancel'] as const) await askSlurm(program, ['--version']);
    await requireSharedFolder((await this.#options.settings()).slurm.sharedFolder);
  }

  async holds(jobId: string): Promise<boolean> {
    return (await this.#records.load(jobId))?.isPreparing === false;
  }

  async start(held: readonly string[]): Promise<void> {
    let failure: unknown;
    for (const jobId of await this.#records.list()) {
      if (!held.includes(jobId)) await this.#giveUp(jobId).catch((thrown: unknown) => (failure = thrown));
    }
    if (failure !== undefined) throw toArmatureError(failure);
  }

  async run(
    task: TrainingTask,
    events: TrainingEvents,
    signal: AbortSignal,
    leaving: AbortSignal = new AbortController().signal,
  ): Promise<TrainingResult> {
    const { jobId } = task;
    try {
      const held = await this.#records.load(jobId);
      const isHeld = held?.isPreparing === false;
      if (isHeld && this.#options.isUntrusted) {
        throw untrusted(`Job ${held.slurmId} (${held.name}) of Slurm is not followed, and may go on`);
      }
      if (!isHeld) await this.check();
      const record = isHeld ? held : await this.#prepare(task);
      return await this.#submitAndFollow(task, record, events, signal, leaving);
    } catch (thrown) {
      const { code, message } = toArmatureError(thrown);
      // What cannot be ended or removed now is ended or removed at the next start.
      await this.#giveUp(jobId).catch(() => undefined);
      return failed(code, message);
    }
  }

  async #submitAndFollow(
    task: TrainingTask,
    prepared: RunRecord,
    events: TrainingEvents,
    signal: AbortSignal,
    leaving: AbortSignal,
  ): Promise<TrainingResult> {
    const { jobId } = task;
    const { clock } = this.#options;
    const queue = this.#queue;
    const save = (changed: RunRecord): Promise<void> => this.#records.save(jobId, changed);
    const shared = { origin: originOf(task), save, queue, events, signal, leaving, clock, times: this.#times };
    const submitted = await submit({ record: prepared, ...shared });
    const isSubmitted = submitted.kind === 'submitted';
    const record = isSubmitted ? submitted.record : prepared;
    const result = isSubmitted ? await new SlurmRun({ record, ...shared }).follow() : submitted;
    if (result.kind === 'left') return result;
    if (result.kind === 'trained') return { ...result, remove: () => this.#discard(jobId, record) };
    // What cannot be removed now is removed at the next start.
    await this.#discard(jobId, record).catch((thrown: unknown) => {
      events.log('warn', `The folder of the training is not removed: ${toArmatureError(thrown).message}`);
    });
    return result;
  }

  /** Writes the folder of a run. */
  async #prepare(task: TrainingTask): Promise<RunRecord> {
    const { script = builtInScript, graceSeconds = DEFAULT_GRACE_S } = this.#options;
    const settings = await this.#options.settings();
    const { python, cpus, memoryMb, diskMb, timeLimitMinutes } = settings;
    const name = `armature-${task.jobId}`;
    const folder = path.join(settings.slurm.sharedFolder, name);
    const record: RunRecord = {
      isPreparing: true,
      ...{ folder, name, settings, isSubmitted: false, slurmId: '', hasBegun: false },
      positions: { out: 0, err: 0 },
    };
    await this.#records.save(task.jobId, record);
    try {
      await rm(folder, { recursive: true, force: true });
      const maxBytes = diskMb * MiB;
      const run = await prepareRunFolder({ folder, task, script, python, maxBytes, threads: cpus });
      const supervision: Supervision = {
        command: run.command,
        ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
        memory_bytes: memoryMb * MiB,
        disk_bytes: maxBytes,
        folder,
        time_s: timeLimitMinutes * 60,
        grace_s: graceSeconds,
        // Slurm assigns the cores. Otherwise every job on a node would use its first ones.
        cpus: null,
        ends_with_hub: false,
      };
      await writeFile(path.join(folder, SUPERVISION), JSON.stringify(supervision), { mode: 0o600 });
      await writeFile(path.join(folder, BATCH_SCRIPT), batchScript(folder, python, run.environment), { mode: 0o700 });
    } catch (thrown) {
      throw inWords(thrown, settings.slurm.sharedFolder);
    }
    const ready = { ...record, isPreparing: false };
    await this.#records.save(task.jobId, ready);
    return ready;
  }

  /** Cancels a run that nobody waits for any more, and removes its files. */
  async #giveUp(jobId: string): Promise<void> {
    const record = await this.#records.load(jobId);
    // Nothing can be done if the record is damaged, or if the job runs and programs may not be started.
    if (record === undefined || (record.isSubmitted && this.#options.isUntrusted)) return;
    if (record.isSubmitted) {
      const { isDone, words } = await askSlurm('scancel', [`--name=${record.name}`]);
      if (!isDone) throw new ArmatureError('peer.unreachable', `Job ${record.name} of Slurm is not ended: ${words}`);
    }
    await this.#discard(jobId, record);
  }

  async #discard(jobId: string, { folder }: RunRecord): Promise<void> {
    // A node may write a last line while its job ends.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    await this.#records.save(jobId, undefined);
  }
}

/** @throws {ArmatureError} `training.unavailable` if the shared folder cannot be used */
async function requireSharedFolder(folder: string): Promise<void> {
  try {
    if (folder === '') throw Object.assign(new Error('not set'), { code: 'not set' });
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error('no folder'), { code: 'no folder' });
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why: Readonly<Record<string, string>> = {
      ENOENT: 'is not there',
      EACCES: 'may not be written by the user of the hub',
      EROFS: 'may only be read here',
      'not set': 'is not set',
      'no folder': 'is no folder',
    };
    throw new ArmatureError(
      'training.unavailable',
      `The folder that the hub and Slurm's nodes share, "slurm.shared_folder" in the settings of training ("${folder}"), ${why[codeOf(cause)] ?? `cannot be used (${codeOf(cause)})`}: mount it, or name another one.`,
      { cause },
    );
  }
}

function inWords(thrown: unknown, sharedFolder: string): unknown {
  const code = codeOf(thrown);
  if (isNoSpace(thrown)) {
    const message = `The shared folder ${sharedFolder} is full: make room, and submit the job again.`;
    return new ArmatureError('store.full', message, { cause: thrown });
  }
  if (thrown instanceof ArmatureError || code === '') return thrown;
  const message = `The folder of the training cannot be written in ${sharedFolder} (${code}): look whether it is mounted, and submit the job again.`;
  return new ArmatureError('file.unwritable', message, { cause: thrown });
}

function untrusted(what: string): ArmatureError {
  return new ArmatureError(
    'training.unavailable',
    `${what}: the server runs with -untrusted-env and starts no programs. Train with a hub on another computer, or start it without this option.`,
  );
}
