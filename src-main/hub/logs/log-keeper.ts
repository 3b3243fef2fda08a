import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { LogTime } from './log-time.ts';
import type { PartLogs } from './part-log.ts';

/** How long a log entry is kept. */
export const LOG_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
const SWEEP_INTERVAL_MS = 60 * 60 * 1_000;

/** Deletes log entries that were received more than 30 days ago, once an hour. Nothing else deletes log entries. */
export class LogSweeper {
  readonly #logs: PartLogs;
  readonly #time: LogTime;
  readonly #logger: Logger;
  readonly #timer: Timer;
  #sweeping: Promise<void> | undefined;

  constructor(logs: PartLogs, time: LogTime, clock: Clock, logger: Logger) {
    this.#logs = logs;
    this.#time = time;
    this.#logger = logger;
    this.#timer = clock.every(SWEEP_INTERVAL_MS, () => {
      this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = undefined));
    });
  }

  /** Waits for a sweep that is running, and stores the log time for the next start. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#sweeping;
    await this.#saveTime();
  }

  async #sweep(): Promise<void> {
    await this.#saveTime();
    try {
      const count = await this.#logs.deleteBefore(this.#time.now() - LOG_RETENTION_MS);
      if (count > 0) this.#logger.info(`${count} log entries older than 30 days were deleted.`);
    } catch (thrown) {
      this.#logger.warn(`Old log entries cannot be deleted now: ${toArmatureError(thrown).message}`);
    }
  }

  async #saveTime(): Promise<void> {
    try {
      await this.#time.note();
    } catch (thrown) {
      // The next start continues from the time stored before, so logs are kept longer.
      this.#logger.warn(`The time that decides which logs are old is not stored: ${toArmatureError(thrown).message}`);
    }
  }
}
