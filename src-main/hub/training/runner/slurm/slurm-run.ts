import path from 'node:path';
import { codeOf, toArmatureError } from '../../../../base/errors.ts';
import { readBoundedFile } from '../../../../base/files/bounded-file.ts';
import { sleep, type Clock } from '../../../../base/clock.ts';
import { ScriptOutput } from '../script/script-output.ts';
import { resultOf } from '../script/script-result.ts';
import { endOf, type SupervisedEnd } from '../script/supervision.ts';
import type { ScriptOrigin, TrainingEvents, TrainingResult } from '../training-runner.ts';
import { FollowedFile } from './followed-file.ts';
import { ACCOUNTING_FORMAT, jobsIn, noteOf, phaseOf, type SlurmJob } from './job-state.ts';
import { END, OUTPUT_FILES } from './run-files.ts';
import type { RunRecord } from './run-record.ts';
import { forgottenFailure, slurmFailure } from './slurm-end.ts';
import { askSlurm } from './slurm-programs.ts';
import type { SlurmQueue } from './slurm-queue.ts';

/** Intervals and waiting times. */
export interface SlurmTimes {
  /** Between two queries to Slurm. */
  readonly askMs: number;
  /** Between two reads of the shared folder. */
  readonly lookMs: number;
  /** From the end of a job until its files are surely visible here: network file systems cache what they have seen. */
  readonly arrivalMs: number;
}

export interface SlurmRunOptions {
  readonly record: RunRecord;
  readonly origin: ScriptOrigin;
  /** Stores what the hub has to know after a restart. */
  readonly save: (record: RunRecord) => Promise<void>;
  readonly queue: SlurmQueue;
  readonly events: TrainingEvents;
  readonly signal: AbortSignal;
  readonly leaving: AbortSignal;
  readonly clock: Clock;
  readonly times: SlurmTimes;
}

const MAX_REPORT_BYTES = 65_536;

/** Follows a job in Slurm to its end. */
export class SlurmRun {
  readonly #options: SlurmRunOptions;
  readonly #output: ScriptOutput;
  readonly #files: { readonly out: FollowedFile; readonly err: FollowedFile };
  #record: RunRecord;
  /** Monotonic time since when nothing more is expected of it. */
  #overSince: number | undefined;
  #canceledAt = -Infinity;
  #trouble = '';

  constructor(options: SlurmRunOptions) {
    this.#options = options;
    const { record, events } = options;
    this.#record = record;
    this.#output = new ScriptOutput(events, record.failure);
    const follow = (stream: 'out' | 'err'): FollowedFile => {
      const file = path.join(record.folder, OUTPUT_FILES[stream]);
      return new FollowedFile(file, record.positions[stream], (line) => this.#output.line(stream, line));
    };
    this.#files = { out: follow('out'), err: follow('err') };
  }

  /** @returns its result; `left` if the hub stops first */
  async follow(): Promise<TrainingResult> {
    const { queue, signal, leaving, clock, times, events } = this.#options;
    const since = clock.monotonic();
    if (!this.#record.hasBegun) events.state({ isWaiting: true, note: 'It is submitted to Slurm.' });
    const unwatch = queue.watch();
    const either = AbortSignal.any([signal, leaving]);
    try {
      for (;;) {
        await this.#read();
        if (leaving.aborted) return { kind: 'left' };
        const result = await this.#result(since);
        if (result !== undefined) return result;
        if (signal.aborted) await this.#cancel();
        // An aborted signal would end every wait at once, so only `leaving` counts after a cancellation.
        await sleep(clock, times.lookMs, signal.aborted ? leaving : either);
      }
    } finally {
      unwatch();
    }
  }

  /** Its result if it is over. @param since earlier answers of Slurm are ignored */
  async #result(since: number): Promise<TrainingResult | undefined> {
    const { origin, queue, signal } = this.#options;
    const { settings, folder } = this.#record;
    const end = await this.#end();
    const { jobs, askedAt, trouble, noNewsSince } = queue.news;
    const hasNews = noNewsSince === undefined && askedAt >= since;
    const job = jobs.find((one) => this.#isOurs(one));
    // When Slurm ends a training, the script is ended too, but has not failed itself. Slurm knows the reason.
    const isOwnEnd = end !== undefined && (end.status === 0 || ['time', 'memory', 'disk'].includes(end.reason));
    if (isOwnEnd && (noNewsSince !== undefined || (hasNews && (await this.#hasLeftQueue(job))))) {
      await this.#readAll();
      return resultOf(end, this.#output.failure, folder, settings, origin);
    }
    if (noNewsSince !== undefined) this.#reportNoNews(trouble, noNewsSince);
    if (!hasNews) return undefined;
    if (job !== undefined && phaseOf(job) !== 'ended') {
      if (!isOwnEnd) this.#overSince = undefined;
      await this.#reportState(job);
      return undefined;
    }
    if (signal.aborted) return { kind: 'ended' };
    const isBySlurm = job !== undefined && job.state !== 'COMPLETED' && job.state !== 'FAILED';
    if (end === undefined && !isBySlurm && !this.#isOverFor(this.#options.times.arrivalMs)) return undefined;
    await this.#readAll();
    if (isBySlurm) return slurmFailure(job, this.#record);
    if (end !== undefined && end.reason !== 'canceled') {
      return resultOf(end, this.#output.failure, folder, settings, origin);
    }
    const known = job ?? (await this.#jobFromAccounting());
    return known === undefined ? forgottenFailure(this.#record) : slurmFailure(known, this.#record);
  }

  /** Compares the name too: a controller that lost its state begins again with job number 1. */
  #isOurs({ id, name }: SlurmJob): boolean {
    const { slurmId, name: ours } = this.#record;
    return name === ours && (slurmId === '' || id === slurmId);
  }

  /** Whether Slurm has ended a job whose script has ended. A killed controller may have forgotten that it ran. */
  async #hasLeftQueue(job: SlurmJob | undefined): Promise<boolean> {
    if (job === undefined || phaseOf(job) === 'ended') return true;
    if (this.#isOverFor(this.#options.times.arrivalMs)) await this.#cancel();
    return false;
  }

  /** Whether nothing more has been expected for this time. */
  #isOverFor(ms: number): boolean {
    this.#overSince ??= this.#options.clock.monotonic();
    return this.#options.clock.monotonic() - this.#overSince >= ms;
  }

  /** The report of the supervisor; undefined if there is none yet or the folder cannot be read now. */
  async #end(): Promise<SupervisedEnd | undefined> {
    try {
      return endOf((await readBoundedFile(path.join(this.#record.folder, END), MAX_REPORT_BYTES)).toString());
    } catch {
      // Not there yet. Slurm's answers show whether it will never come.
      return undefined;
    }
  }

  /** Passes on new output, and stores how far it was read. */
  async #read(): Promise<void> {
    const { out, err } = this.#files;
    try {
      await out.read();
      await err.read();
      if (this.#trouble !== '') this.#options.events.log('warn', 'What the training writes can be read again.');
      this.#trouble = '';
    } catch (thrown) {
      const trouble = `What the training writes cannot be read now (${codeOf(thrown)}).`;
      if (trouble !== this.#trouble) this.#options.events.log('warn', trouble);
      this.#trouble = trouble;
    }
    const positions = { out: out.resumeAt, err: err.resumeAt };
    const { positions: kept } = this.#record;
    if (positions.out !== kept.out || positions.err !== kept.err) {
      await this.#options.events.stored();
      await this.#keep({ positions, failure: this.#output.failure });
    }
  }

  /** Passes on the rest of the output after the end. */
  async #readAll(): Promise<void> {
    await this.#read();
    this.#files.out.end();
    this.#files.err.end();
  }

  async #reportState(job: SlurmJob): Promise<void> {
    // A controller that was killed may have forgotten that it had started the job.
    const isWaiting = phaseOf(job) === 'waiting' && !this.#record.hasBegun;
    if (!isWaiting && !this.#record.hasBegun) {
      this.#options.events.log('info', `Slurm runs it as job ${job.id} on ${job.nodes}.`);
      await this.#keep({ hasBegun: true });
    }
    this.#options.events.state({ isWaiting, note: noteOf(job) });
  }

  #reportNoNews(trouble: string, noNewsSince: number): void {
    const note = `Slurm does not answer now, and the training may go on: ${trouble}`;
    this.#options.events.state({ isWaiting: !this.#record.hasBegun, note, noNewsSince });
  }

  /** Asks Slurm to cancel it. Asks again when that had no effect. */
  async #cancel(): Promise<void> {
    const { clock, times } = this.#options;
    if (clock.monotonic() - this.#canceledAt < times.askMs) return;
    try {
      await askSlurm('scancel', [`--name=${this.#record.name}`]);
    } catch {
      // The state already shows that Slurm cannot be reached. It is tried again.
    }
    this.#canceledAt = clock.monotonic();
  }

  /** The job from Slurm's accounting, when the controller has forgotten it; undefined if it is not there. */
  async #jobFromAccounting(): Promise<SlurmJob | undefined> {
    const { slurmId } = this.#record;
    if (slurmId === '') return undefined;
    const format = `--format=${ACCOUNTING_FORMAT}`;
    try {
      const args = ['--noheader', '--parsable2', '--allocations', `--jobs=${slurmId}`, format];
      return jobsIn((await askSlurm('sacct', args)).output).find(
        (job) => this.#isOurs(job) && phaseOf(job) === 'ended',
      );
    } catch {
      // Not every cluster has accounting.
      return undefined;
    }
  }

  /** Stores a change of the record. If that fails, output may be logged twice after a restart, with no other effect. */
  async #keep(change: Partial<RunRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await this.#options.save(this.#record).catch((thrown: unknown) => {
      this.#options.events.log('warn', toArmatureError(thrown).message);
    });
  }
}
