import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { TokenBucket } from '../../../base/async/token-bucket.ts';
import { chunksOf } from '../../storage/chunks.ts';
import type { Store } from '../../storage/store.ts';
import type { TrainingLogsTable } from '../tables.ts';

export type JobLogLevel = TrainingLogsTable['level'];

/** A line of a job's log. */
export interface JobLogEntry {
  readonly number: number;
  readonly time: number;
  readonly level: JobLogLevel;
  readonly message: string;
}

const WRITE_EVERY_MS = 500;
const MAX_MESSAGE_LENGTH = 4_000;
/** Lines that are kept for a job. */
const MAX_LINES = 20_000;
/** Lines of a script that are taken at once, and each second after that. */
const MAX_LINES_AT_ONCE = 1_000;
const MAX_LINES_PER_SECOND = 50;

/** The stored logs of training jobs. */
export class JobLogs {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(store: Store, clock: Clock, logger: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Opens the log of a job for appending. */
  async open(jobId: string): Promise<JobLogWriter> {
    const { last } = await this.#store.db
      .selectFrom('training_logs')
      .select((select) => select.fn.max('number').as('last'))
      .where('job_id', '=', jobId)
      .executeTakeFirstOrThrow();
    return new JobLogWriter(jobId, Number(last ?? 0), this.#store, this.#clock, this.#logger);
  }

  /** The lines after a number, oldest first. */
  async read(jobId: string, after: number, limit: number): Promise<JobLogEntry[]> {
    return this.#store.db
      .selectFrom('training_logs')
      .select(['number', 'time', 'level', 'message'])
      .where('job_id', '=', jobId)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute();
  }
}

/**
 * Writes the log of one job, twice a second. If a script writes too many lines, some are left out, and the log says how
 * many.
 */
export class JobLogWriter {
  readonly #jobId: string;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pace: TokenBucket;
  #last: number;
  #waiting: JobLogEntry[] = [];
  #dropped = 0;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(jobId: string, last: number, store: Store, clock: Clock, logger: Logger) {
    this.#jobId = jobId;
    this.#last = last;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#pace = new TokenBucket(clock, { capacity: MAX_LINES_AT_ONCE, perSecond: MAX_LINES_PER_SECOND });
  }

  /** Adds a line from the script. */
  line(level: JobLogLevel, message: string): void {
    if (this.#last >= MAX_LINES || !this.#pace.take()) {
      this.#dropped++;
      return;
    }
    this.#logDropped();
    this.#add(level, message);
  }

  /** Adds a line from the hub, which is never left out. */
  note(level: JobLogLevel, message: string): void {
    this.#logDropped();
    this.#add(level, message);
  }

  /** Settles when all lines so far are stored. */
  async flush(): Promise<void> {
    this.#logDropped();
    await this.#write();
  }

  /** Stores what is left. Nothing may be added afterwards. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.flush();
  }

  #logDropped(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#add('warn', `${count} lines are left out: the script wrote more than the log can store.`);
  }

  #add(level: JobLogLevel, text: string): void {
    // PostgreSQL does not accept NUL in a text.
    const message = text.replaceAll('\0', '').slice(0, MAX_MESSAGE_LENGTH);
    this.#waiting.push({ number: ++this.#last, time: this.#clock.now(), level, message });
    this.#timer ??= this.#clock.after(WRITE_EVERY_MS, () => {
      this.#timer = undefined;
      void this.#write();
    });
  }

  /** Never rejects: a job continues even if its log cannot be stored. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        for (const some of chunksOf(entries)) {
          const rows = some.map((entry) => ({ job_id: this.#jobId, ...entry }));
          await this.#store.transaction(async (tx) => {
            await tx.insertInto('training_logs').values(rows).execute();
            const news_at = some.at(-1)?.time ?? 0;
            await tx.updateTable('training_jobs').set({ news_at }).where('id', '=', this.#jobId).execute();
          });
        }
      } catch (thrown) {
        this.#logger.warn(
          `${entries.length} lines of the log of training job ${this.#jobId} are lost: ${toArmatureError(thrown).message}`,
        );
      }
    });
    return this.#writing;
  }
}
