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

/** How long things take. */
export interface SlurmTimes {
  /** Between two questions to Slurm. */
  readonly askMs: number;
  /** Between two looks into the shared folder. */
  readonly lookMs: number;
  /** After a job ended, until what it wrote is seen here: file systems of networks keep what they saw for a while. */
  readonly arrivalMs: number;
}

export interface SlurmRunOptions {
  readonly record: RunRecord;
  readonly origin: ScriptOrigin;
  /** Keeps what is to be known after a restart. */
  readonly save: (record: RunRecord) => Promise<void>;
  readonly queue: SlurmQueue;
  readonly events: TrainingEvents;
  readonly signal: AbortSignal;
  readonly leaving: AbortSignal;
  readonly clock: Clock;
  readonly times: SlurmTimes;
}

const MOST_REPORT_BYTES = 65_536;

/** A job that was given to Slurm, seen to its end. */
export class SlurmRun {
  readonly #options: SlurmRunOptions;
  readonly #output: ScriptOutput;
  readonly #files: { readonly out: FollowedFile; readonly err: FollowedFile };
  #record: RunRecord;
  /** Since when nothing more is expected, monotonic. */
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

  /** @returns what came of it; `left` where the hub ends first */
  async follow(): Promise<TrainingResult> {
    const { queue, signal, leaving, clock, times, events } = this.#options;
    const since = clock.monotonic();
    if (!this.#record.hasBegun) events.state({ isWaiting: true, note: 'Slurm has it.' });
    const forget = queue.watch();
    const either = AbortSignal.any([signal, leaving]);
    try {
      for (;;) {
        await this.#read();
        if (leaving.aborted) return { kind: 'left' };
        const result = await this.#result(since);
        if (result !== undefined) return result;
        if (signal.aborted) await this.#cancel();
        // Once it is canceled the signal ends no wait any more.
        await sleep(clock, times.lookMs, signal.aborted ? leaving : either);
      }
    } finally {
      forget();
    }
  }

  /** What came of it, where it is over. @param since the answers of Slurm that were asked for earlier say nothing */
  async #result(since: number): Promise<TrainingResult | undefined> {
    const { origin, queue, signal } = this.#options;
    const { settings, folder } = this.#record;
    const end = await this.#end();
    const { jobs, askedAt, trouble, noNewsSince } = queue.news;
    const hasNews = noNewsSince === undefined && askedAt >= since;
    const job = jobs.find((one) => this.#isOurs(one));
    // What ended a training in Slurm ends its script too, which is no failure of that: Slurm says which it is.
    const isOwnEnd = end !== undefined && (end.status === 0 || ['time', 'memory', 'disk'].includes(end.reason));
    if (isOwnEnd && (noNewsSince !== undefined || (hasNews && (await this.#hasLeftQueue(job))))) {
      await this.#readAll();
      return resultOf(end, this.#output.failure, folder, settings, origin);
    }
    if (noNewsSince !== undefined) this.#tellNoNews(trouble, noNewsSince);
    if (!hasNews) return undefined;
    if (job !== undefined && phaseOf(job) !== 'ended') {
      if (!isOwnEnd) this.#overSince = undefined;
      await this.#tellState(job);
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
    const known = job ?? (await this.#accounted());
    return known === undefined ? forgottenFailure(this.#record) : slurmFailure(known, this.#record);
  }

  /** A controller that lost what it knew counts anew: the number alone is not enough. */
  #isOurs({ id, name }: SlurmJob): boolean {
    const { slurmId, name: ours } = this.#record;
    return name === ours && (slurmId === '' || id === slurmId);
  }

  /** Whether Slurm is done with a job whose script has ended. A controller that was killed may have forgotten that it ran. */
  async #hasLeftQueue(job: SlurmJob | undefined): Promise<boolean> {
    if (job === undefined || phaseOf(job) === 'ended') return true;
    if (this.#isOverFor(this.#options.times.arrivalMs)) await this.#cancel();
    return false;
  }

  /** Whether nothing more was expected for so long. */
  #isOverFor(ms: number): boolean {
    this.#overSince ??= this.#options.clock.monotonic();
    return this.#options.clock.monotonic() - this.#overSince >= ms;
  }

  /** What the supervisor reported; undefined before that, and where the folder cannot be read now. */
  async #end(): Promise<SupervisedEnd | undefined> {
    try {
      return endOf((await readBoundedFile(path.join(this.#record.folder, END), MOST_REPORT_BYTES)).toString());
    } catch {
      // Not there yet. That it never comes is found by what Slurm says.
      return undefined;
    }
  }

  /** Hands on what was written since, and keeps how far that is. */
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

  /** Nothing more is written. */
  async #readAll(): Promise<void> {
    await this.#read();
    this.#files.out.end();
    this.#files.err.end();
  }

  async #tellState(job: SlurmJob): Promise<void> {
    // A controller that was killed may have forgotten that it had begun it.
    const isWaiting = phaseOf(job) === 'waiting' && !this.#record.hasBegun;
    if (!isWaiting && !this.#record.hasBegun) {
      this.#options.events.log('info', `Slurm runs it as job ${job.id} on ${job.nodes}.`);
      await this.#keep({ hasBegun: true });
    }
    this.#options.events.state({ isWaiting, note: noteOf(job) });
  }

  #tellNoNews(trouble: string, noNewsSince: number): void {
    const note = `Slurm cannot be asked now, and the training may go on: ${trouble}`;
    this.#options.events.state({ isWaiting: !this.#record.hasBegun, note, noNewsSince });
  }

  /** Asks Slurm to end it, and again where that was not heard. */
  async #cancel(): Promise<void> {
    const { clock, times } = this.#options;
    if (clock.monotonic() - this.#canceledAt < times.askMs) return;
    try {
      await askSlurm('scancel', [`--name=${this.#record.name}`]);
    } catch {
      // The state says that Slurm cannot be asked; it is tried again.
    }
    this.#canceledAt = clock.monotonic();
  }

  /** What Slurm's accounting knows of a job that its controller has forgotten; undefined where there is none. */
  async #accounted(): Promise<SlurmJob | undefined> {
    const { slurmId } = this.#record;
    if (slurmId === '') return undefined;
    const format = `--format=${ACCOUNTING_FORMAT}`;
    try {
      const args = ['--noheader', '--parsable2', '--allocations', `--jobs=${slurmId}`, format];
      return jobsIn((await askSlurm('sacct', args)).output).find(
        (job) => this.#isOurs(job) && phaseOf(job) === 'ended',
      );
    } catch {
      // Not every cluster has it.
      return undefined;
    }
  }

  /** What cannot be kept is told twice after a restart, and nothing else. */
  async #keep(change: Partial<RunRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await this.#options.save(this.#record).catch((thrown: unknown) => {
      this.#options.events.log('warn', toArmatureError(thrown).message);
    });
  }
}
