import type { Clock } from '../../base/clock.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { lineOf, plainFields, type ModuleLogEntry } from './module-logger.ts';
import { RobotServiceDefinition } from '../../../proto/gen/core/robot/v1/robot.ts';
import type { CallParent } from './parent.ts';

/** How many entries may wait; further ones are printed. */
const CAPACITY = 1_000;
/** How many calls run at the same time: the machine takes one entry per call. */
const MAX_CONCURRENT_CALLS = 16;
/** An entry that the machine does not accept within this time is printed. */
const TIMEOUT_MS = 5_000;
/** Longer messages are cut, so that no entry is rejected for its size. */
const LONGEST_MESSAGE = 64 * 1024;

/**
 * Forwards log entries to the machine, in order. Entries that cannot be delivered are printed on standard output, which
 * the machine also reads: no entry is lost, and nothing waits for one.
 */
export class LogForwarder {
  readonly #print: (line: string) => void;
  readonly #waiting: ModuleLogEntry[] = [];
  #underWay = 0;
  #call: CallParent | undefined;
  #isPrinting = false;
  #whenIdle: (() => void) | undefined;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  write(entry: ModuleLogEntry): void {
    if (this.#isPrinting || this.#waiting.length >= CAPACITY) {
      this.#print(lineOf(entry));
      return;
    }
    this.#waiting.push(entry);
    this.#pump();
  }

  /** The machine is connected: sends the waiting entries, and all later ones. */
  connect(call: CallParent): void {
    this.#call = call;
    this.#isPrinting = false;
    this.#pump();
  }

  /** There is no machine: prints the waiting entries, and all later ones. */
  printOnly(): void {
    this.#call = undefined;
    this.#isPrinting = true;
    for (const entry of this.#waiting.splice(0)) this.#print(lineOf(entry));
  }

  /** Settles when everything has been delivered or printed, or after `limitMs` at the latest. */
  async flush(clock: Clock, limitMs: number): Promise<void> {
    if (this.#call !== undefined && this.#underWay + this.#waiting.length > 0) {
      const idle = () => new Promise<void>((resolve) => (this.#whenIdle = resolve));
      await withTimeout(idle, { clock, ms: limitMs, onTimeout: () => undefined });
    }
    this.printOnly();
  }

  #pump(): void {
    const call = this.#call;
    while (call !== undefined && this.#underWay < MAX_CONCURRENT_CALLS) {
      const entry = this.#waiting.shift();
      if (entry === undefined) break;
      this.#underWay++;
      void this.#deliver(call, entry);
    }
    if (this.#underWay === 0 && this.#waiting.length === 0) this.#whenIdle?.();
  }

  async #deliver(call: CallParent, entry: ModuleLogEntry): Promise<void> {
    try {
      await call(RobotServiceDefinition, 'log', { logs: [toWire(entry)] }, { timeoutMs: TIMEOUT_MS });
    } catch {
      this.#print(lineOf(entry)); // a printed entry counts as delivered
    }
    this.#underWay--;
    this.#pump();
  }
}

function toWire({ time, level, logger, message, fields }: ModuleLogEntry) {
  return {
    host: '',
    level,
    time: new Date(time),
    loggerName: logger,
    message: message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}...` : message,
    caller: undefined,
    stack: '',
    fields: Object.entries(plainFields(fields)).map(([Key, value]) =>
      typeof value === 'string' ? { Key, String: value } : { Key, Interface: value },
    ),
  };
}
