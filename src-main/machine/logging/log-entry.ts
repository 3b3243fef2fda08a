import { logLevels, type LogLevel } from '../../base/logger.ts';
import type { JsonValue } from '../../apis/resource.ts';

/** One line of the log. Immutable, JSON-safe, secrets already masked. */
export interface LogEntry {
  /** One more for each entry, over starts of the program as well. */
  readonly seq: number;
  /** Wall-clock time, milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  /** `core.component.motor.left` */
  readonly logger: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Full name of the resource it is about, where it is about one. */
  readonly resource: string | undefined;
  /** `graph/reconciler.ts:120`; only on warnings, errors and while debugging. */
  readonly caller: string | undefined;
  /** How often the same was logged in the window it sums up; 1 for a plain entry. */
  readonly repeatCount: number;
  /** When the first of those was logged, wall-clock milliseconds; `time` is that of the latest. Undefined for one alone. */
  readonly firstTime: number | undefined;
}

/** An entry before deduplication. */
export type LogDraft = Omit<LogEntry, 'seq' | 'repeatCount' | 'firstTime'>;

/** Where entries go. `write` neither throws nor waits. */
export interface LogSink {
  readonly name: string;
  write(entry: LogEntry): void;
  /** Puts everything on its medium before it returns; for the last words of a dying program. */
  flushSync(): void;
  close(): Promise<void>;
}

/** Rank of a level: debug 0 to error 3. */
export function rankOf(level: LogLevel): number {
  return logLevels.indexOf(level);
}

/** A level in any case, `warning` included, or undefined where the text is none. */
export function parseLogLevel(text: string): LogLevel | undefined {
  const lower = text.toLowerCase();
  if (lower === 'warning') return 'warn';
  return logLevels.find((level) => level === lower);
}
