import type { Clock, Timer } from '../../base/clock.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { LogTime } from './log-time.ts';
import type { PartLogs } from './part-log.ts';

/** Logs are kept so long. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const LOOK_MS = 60 * 60 * 1_000;

/** Lets go of what was received more than 30 days ago, once an hour. Nobody else deletes a log. */
export class LogKeeper {
  readonly #logs: PartLogs;
  readonly #time: LogTime;
  readonly #logger: Logger;
  readonly #timer: Timer;
  #looking: Promise<void> | undefined;

  constructor(logs: PartLogs, time: LogTime, clock: Clock, logger: Logger) {
    this.#logs = logs;
    this.#time = time;
    this.#logger = logger;
    this.#timer = clock.every(LOOK_MS, () => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    });
  }

  /** Ends it, and notes the time for the next start. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#looking;
    await this.#note();
  }

  async #look(): Promise<void> {
    await this.#note();
    try {
      const count = await this.#logs.deleteBefore(this.#time.now() - KEPT_MS);
      if (count > 0) this.#logger.info(`${count} log entries are older than 30 days and were let go.`);
    } catch (thrown) {
      this.#logger.warn(`Old log entries are still there: ${toArmatureError(thrown).message}`);
    }
  }

  async #note(): Promise<void> {
    try {
      await this.#time.note();
    } catch (thrown) {
      // The next start then begins from the note before: logs are kept longer.
      this.#logger.warn(`The time by which logs are kept is not noted: ${toArmatureError(thrown).message}`);
    }
  }
}
