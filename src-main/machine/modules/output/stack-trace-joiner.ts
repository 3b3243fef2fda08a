import type { Clock, Timer } from '../../../base/clock.ts';
import type { LogLevel } from '../../../base/logger.ts';
import { readLine, type ReadLine } from './line-level.ts';

const MAX_LINES = 200;
const MAX_CHARACTERS = 32 * 1024;
/** How long an entry is kept open. */
const OPEN_MS = 50;

/** Which lines after the first belong to a trace. */
type Trace = 'python' | 'go' | undefined;

const PYTHON = /^(?:Traceback \(most recent call last\):|\s*\+ Exception Group Traceback)/;
/** A line between the parts of a Python trace with a cause. */
const PYTHON_LINK = /^(?:During handling of the above exception|The above exception was the direct cause)/;
const GO = /^(?:panic: |fatal error: |goroutine \d+ )/;
/** An indented line, the cause of a Java trace, or a frame. */
const CONTINUED = /^(?:\s+\S|Caused by: |\.{3} \d+ more)/;

/**
 * Joins the lines of a stack trace into one log entry, so that it can be read and found as a whole and other log lines
 * do not split it.
 */
export class StackTraceJoiner {
  readonly #clock: Clock;
  readonly #standard: LogLevel;
  readonly #onEntry: (entry: ReadLine) => void;
  #lines: string[] = [];
  #characters = 0;
  #trace: Trace;
  /** Whether the last line of a Python trace has been read. */
  #isComplete = false;
  #timer: Timer | undefined;

  /** @param standard level of lines that state none */
  constructor(clock: Clock, standard: LogLevel, onEntry: (entry: ReadLine) => void) {
    this.#clock = clock;
    this.#standard = standard;
    this.#onEntry = onEntry;
  }

  push(line: string): void {
    if (this.#lines.length > 0 && !this.#continues(line)) this.flush();
    if (this.#lines.length === 0) {
      if (line.trim() === '') return;
      this.#trace = PYTHON.test(line) ? 'python' : GO.test(line) ? 'go' : undefined;
    } else if (this.#trace === undefined && PYTHON.test(line)) this.#trace = 'python';
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#lines.length >= MAX_LINES || this.#characters >= MAX_CHARACTERS) this.flush();
    else this.#timer ??= this.#clock.after(OPEN_MS, () => this.flush());
  }

  /** Emits the collected lines as one entry. */
  flush(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const [first] = this.#lines;
    if (first === undefined) return;
    const isTrace = this.#trace !== undefined;
    const read =
      this.#lines.length === 1
        ? readLine(first, this.#standard)
        : { ...readLine(first, isTrace ? 'error' : this.#standard), message: this.#lines.join('\n').trimEnd() };
    this.#lines = [];
    this.#characters = 0;
    this.#trace = undefined;
    this.#isComplete = false;
    this.#onEntry(read);
  }

  #continues(line: string): boolean {
    if (this.#trace === 'go') return true;
    if (this.#trace === 'python') return this.#continuesPython(line);
    // The first line of a trace may be a log line: `ERROR - it failed`.
    return CONTINUED.test(line) || PYTHON.test(line);
  }

  #continuesPython(line: string): boolean {
    if (line.trim() === '' || /^\s/.test(line)) return true;
    if (PYTHON.test(line) || PYTHON_LINK.test(line)) {
      this.#isComplete = false;
      return true;
    }
    if (this.#isComplete) return false;
    // The first line that is not indented names the exception.
    this.#isComplete = true;
    return true;
  }
}
