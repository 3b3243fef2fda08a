import { rankOf, type LogEntry } from '../log-entry.ts';
import type { JsonValue } from '../../../apis/resource.ts';

/** Longest stored line, characters. A longer entry is stored without its fields, with a note. */
export const MAX_STORED_LINE = 256 * 1024;

/** Begins every line. */
const PREFIX = /^\{"seq":(\d+),"time":(-?\d+(?:\.\d+)?),/;
const END = /^\{"end":(\d+)\}$/;

/**
 * An entry as one line of JSON, the form in which it is sent to the storing thread: sequence number and time first,
 * empty fields left out.
 */
export function toStoredLine(entry: LogEntry): string {
  const line = asLine(entry, entry.fields);
  if (line.length <= MAX_STORED_LINE) return line;
  return asLine(entry, { '…': `fields of ${JSON.stringify(entry.fields).length} characters are not stored` });
}

function asLine(entry: LogEntry, fields: LogEntry['fields']): string {
  const { seq, time, level, logger, message, resource, caller, repeatCount, firstTime } = entry;
  let hasFields = false;
  for (const _ in fields) hasFields = true;
  return `${JSON.stringify({
    seq,
    time,
    level,
    logger,
    message,
    fields: hasFields ? fields : undefined,
    resource,
    caller,
    repeatCount: repeatCount > 1 ? repeatCount : undefined,
    firstTime,
  })}\n`;
}

/** For lines of an earlier version: the number in the last line of a run that ended in order, or undefined. */
export function endOf(line: string): number | undefined {
  const found = END.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** The position of a line in the log, read from its start alone. */
export function placeOf(line: string): { readonly seq: number; readonly time: number } | undefined {
  const found = PREFIX.exec(line);
  return found === null ? undefined : { seq: Number(found[1]), time: Number(found[2]) };
}

/** The entry of a line; undefined for an incomplete or foreign one. */
export function fromStoredLine(line: string): LogEntry | undefined {
  if (placeOf(line) === undefined) return undefined;
  try {
    const found = JSON.parse(line) as Partial<LogEntry>;
    const { seq, time, level, logger, message } = found;
    if (typeof seq !== 'number' || typeof time !== 'number' || level === undefined || rankOf(level) < 0)
      return undefined;
    if (typeof logger !== 'string' || typeof message !== 'string') return undefined;
    return {
      seq,
      time,
      level,
      logger,
      message,
      fields: isObject(found.fields) ? found.fields : {},
      resource: textOrNone(found.resource),
      caller: textOrNone(found.caller),
      repeatCount: typeof found.repeatCount === 'number' ? found.repeatCount : 1,
      firstTime: typeof found.firstTime === 'number' ? found.firstTime : undefined,
    };
  } catch {
    return undefined; // torn by a kill in the middle of a write
  }
}

function isObject(value: unknown): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
