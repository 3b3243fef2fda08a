import { logLevels, type LogLevel } from '../../base/logger.ts';
import type { JsonValue } from '../../apis/resource.ts';

/** One line of the log. Immutable, JSON-safe, secrets already masked. */
export interface LogEntry {
  /** Increases by one with each entry, across starts of the program. */
  readonly seq: number;
  /** Wall-clock time, milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  /** `core.component.motor.left` */
  readonly logger: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Full name of the resource that the entry is about, if any. */
  readonly resource: string | undefined;
  /** `graph/reconciler.ts:120`; only for warnings, errors and while debugging. */
  readonly caller: string | undefined;
  /** Number of equal messages in the window that this entry sums up; 1 for a plain entry. */
  readonly repeatCount: number;
  /**
   * When the first of them was logged, wall-clock milliseconds; `time` is the time of the latest. Undefined for a
   * single one.
   */
  readonly firstTime: number | undefined;
}

/** An entry before deduplication. */
export type LogDraft = Omit<LogEntry, 'seq' | 'repeatCount' | 'firstTime'>;

/** Receives entries. `write` neither throws nor waits. */
export interface LogSink {
  readonly name: string;
  write(entry: LogEntry): void;
  /** Writes everything to its medium before it returns; for the last entries before the program ends. */
  flushSync(): void;
  close(): Promise<void>;
}

/** Rank of a level: debug 0 to error 3. */
export function rankOf(level: LogLevel): number {
  return logLevels.indexOf(level);
}

/** A level in any case, also `warning`; undefined for other texts. */
export function parseLogLevel(text: string): LogLevel | undefined {
  const lower = text.toLowerCase();
  if (lower === 'warning') return 'warn';
  return logLevels.find((level) => level === lower);
}
