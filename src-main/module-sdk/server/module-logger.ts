import { logLevels, type LogFields, type Logger, type LogLevel } from '../../base/logger.ts';

/** One entry of a module's log, to be sent to the machine. */
export interface ModuleLogEntry {
  /** Wall-clock time, milliseconds. */
  readonly time: number;
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A logger that passes on entries at or above its level. Never throws. */
export class ModuleLogger implements Logger {
  readonly name: string;
  readonly #rank: number;
  readonly #now: () => number;
  readonly #write: (entry: ModuleLogEntry) => void;

  constructor(name: string, level: LogLevel, now: () => number, write: (entry: ModuleLogEntry) => void) {
    this.name = name;
    this.#rank = logLevels.indexOf(level);
    this.#now = now;
    this.#write = write;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  child(name: string): ModuleLogger {
    return this.named(`${this.name}.${name}`);
  }

  /** A logger with the same level and output, under another name. */
  named(name: string): ModuleLogger {
    return new ModuleLogger(name, logLevels[this.#rank] ?? 'info', this.#now, this.#write);
  }

  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (logLevels.indexOf(level) < this.#rank) return;
    // Authors may log values of any type, whatever the declared types are.
    this.#write({ time: this.#now(), level, logger: this.name, message: String(message), fields });
  }
}

/** Fields as plain data: errors become their messages, and values without a JSON form become text. */
export function plainFields(fields: LogFields): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) plain[key] = plainValue(value);
  return plain;
}

function plainValue(value: unknown): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Error) return value.stack ?? value.message;
  if (typeof value === 'bigint' || typeof value === 'symbol') return value.toString();
  if (typeof value !== 'object') return typeof value;
  try {
    return JSON.parse(JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one)));
  } catch {
    return '[no JSON]'; // a circular reference
  }
}

/**
 * An entry as a line for standard output, in the format that machines read: `INFO core.component.sensor.temp: message
 * {"a":1}`.
 */
export function lineOf({ level, logger, message, fields }: ModuleLogEntry): string {
  const hasFields = Object.keys(fields).length > 0;
  return `${level.toUpperCase()} ${logger}: ${message}${hasFields ? ` ${JSON.stringify(plainFields(fields))}` : ''}\n`;
}
