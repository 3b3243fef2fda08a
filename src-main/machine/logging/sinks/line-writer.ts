import type { Clock, Timer } from '../../../base/clock.ts';
import type { LogEntry, LogSink } from '../log-entry.ts';

/** A medium that takes text: the console, a file. */
export interface LineTarget {
  /** Writes all of it, or rejects. */
  write(text: string): Promise<void>;
  /** Writes everything to its medium before it returns, or throws. */
  writeSync(text: string): void;
  close(): void;
}

/**
 * Least time between two writes, for a medium with expensive writes; after a longer pause a write happens at once. The
 * very first waits `firstMs`.
 */
export interface Gathering {
  readonly clock: Clock;
  readonly ms: number;
  readonly firstMs: number;
}

/** Most text that may wait for a slow medium; further lines are dropped and counted. */
export const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** With this much text, waiting for more ends. */
const ENOUGH_CHARS = 128 * 1024;

/**
 * Writes entries as lines without ever delaying the logging code: one write at a time; entries that arrive meanwhile go
 * with the next. If a medium fails or is too slow, lines are lost, and the program continues. The first failure is
 * reported, and so is the number of missing lines when writing works again.
 */
export class LineWriter implements LogSink {
  readonly name: string;
  readonly #target: LineTarget;
  readonly #onTrouble: (message: string) => void;
  readonly #format: (entry: LogEntry) => string;
  readonly #gathering: Gathering | undefined;
  /** Ends the wait for more entries; set while it lasts. */
  #resume: (() => void) | undefined;
  /** Earliest time of the next write, monotonic; undefined before the first. */
  #nextAt: number | undefined;
  /** Number of callers that wait until everything is written. */
  #hurrying = 0;
  #waiting: string[] = [];
  #waitingChars = 0;
  /** Text of the current write. */
  #underWay: { readonly text: string; readonly lines: number } | undefined;
  #lostLines = 0;
  #hasReported = false;
  #pump: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isClosed = false;

  /**
   * @param name of the medium, for messages: `the console`, `the log file /var/log/x.log`
   * @param onTrouble called once when a failure starts, and once when it is over
   * @param format an entry as text that ends with a newline
   * @param gathering pauses between writes; undefined for none
   */
  constructor(
    name: string,
    target: LineTarget,
    onTrouble: (message: string) => void,
    format: (entry: LogEntry) => string,
    gathering?: Gathering,
  ) {
    this.name = name;
    this.#target = target;
    this.#onTrouble = onTrouble;
    this.#format = format;
    this.#gathering = gathering;
  }

  /** Lines that could not be written since the current failure began. */
  get lostLines(): number {
    return this.#lostLines;
  }

  write(entry: LogEntry): void {
    if (this.#isClosed) return;
    const line = this.#format(entry);
    if (this.#waitingChars + line.length > MAX_WAITING_CHARS) {
      this.#lose(1, 'it takes lines too slowly');
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (!this.#isRunning) this.#pump = this.#run();
    else if (this.#waitingChars >= ENOUGH_CHARS) this.#resume?.();
  }

  flushSync(): void {
    // The current write may be cut off by the end of the program: writing twice is better than never.
    const text = (this.#underWay?.text ?? '') + this.#takeWaiting().text;
    if (text === '') return;
    try {
      this.#target.writeSync(text);
    } catch (thrown) {
      this.#lose(text.split('\n').length - 1, reasonOf(thrown));
    }
  }

  /** Settles when all earlier entries are written, or could not be. */
  async drained(): Promise<void> {
    this.#hurrying++;
    this.#resume?.();
    await this.#pump;
    this.#hurrying--;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drained();
    this.#target.close();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      if (this.#gathering !== undefined) await this.#gather(this.#gathering);
      this.#underWay = this.#takeWaiting();
      try {
        // The text may have been written synchronously in the meantime.
        if (this.#underWay.lines > 0) await this.#target.write(this.#underWay.text);
        this.#recovered();
      } catch (thrown) {
        this.#lose(this.#underWay.lines, reasonOf(thrown));
      }
      this.#underWay = undefined;
      if (this.#gathering !== undefined) this.#nextAt = this.#gathering.clock.monotonic() + this.#gathering.ms;
    }
    this.#isRunning = false;
  }

  /** Waits until enough time has passed since the last write; entries that arrive meanwhile are written together. */
  async #gather({ clock, firstMs }: Gathering): Promise<void> {
    const rest = this.#nextAt === undefined ? firstMs : this.#nextAt - clock.monotonic();
    if (rest <= 0 || this.#hurrying > 0 || this.#waitingChars >= ENOUGH_CHARS) return;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
      timer = clock.after(rest, resolve);
    });
    timer?.cancel();
    this.#resume = undefined;
  }

  #takeWaiting(): { text: string; lines: number } {
    const taken = { text: this.#waiting.join(''), lines: this.#waiting.length };
    this.#waiting = [];
    this.#waitingChars = 0;
    return taken;
  }

  #lose(lines: number, reason: string): void {
    this.#lostLines += lines;
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#onTrouble(`Log lines for ${this.name} are being lost: ${reason}.`);
  }

  #recovered(): void {
    if (this.#lostLines === 0) return;
    const lost = this.#lostLines;
    this.#lostLines = 0;
    this.#hasReported = false;
    this.#onTrouble(`Logging to ${this.name} works again; ${lost} lines are missing from it.`);
  }
}

function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, '');
}
