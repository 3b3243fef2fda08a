import type { LogEntry as WireLogEntry } from '../../../proto/gen/core/common/v1/common.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { LogLevel } from '../../base/logger.ts';
import type { JsonObject, JsonValue } from '../../apis/resource.ts';
import { parseLogLevel } from '../logging/log-entry.ts';

/** An entry that a module or client wrote to the machine's log. */
export interface ReceivedLogEntry {
  readonly time: number | undefined;
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly fields: JsonObject;
  readonly caller: string | undefined;
}

/** One field in zap's form, or as plain keys. */
function readField(field: Readonly<Record<string, unknown>>): [string, JsonValue] | undefined {
  const key = field['Key'];
  if (typeof key !== 'string') return undefined;
  const candidates = [field['String'], field['Interface'], field['Integer']];
  const value = candidates.find((candidate) => candidate !== undefined && candidate !== null && candidate !== '');
  return [key, (value ?? '') as JsonValue];
}

function readFields(fields: readonly Readonly<Record<string, unknown>>[]): JsonObject {
  const all: JsonObject = {};
  for (const field of fields) {
    const read = readField(field);
    if (read === undefined) Object.assign(all, field);
    else all[read[0]] = read[1];
  }
  return all;
}

/** Reads an entry of RobotService/Log. Throws `call.bad_argument` for an invalid level. */
export function readLogEntry(entry: WireLogEntry): ReceivedLogEntry {
  const level = parseLogLevel(entry.level);
  if (level === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `The log level "${entry.level}" is unknown; use debug, info, warn or error.`,
    );
  }
  const { File: file, Line: line } = entry.caller ?? {};
  return {
    time: entry.time?.getTime(),
    level,
    logger: entry.loggerName,
    message: entry.message,
    fields: readFields(entry.fields),
    caller: typeof file === 'string' && file !== '' ? `${file}:${String(line)}` : undefined,
  };
}
