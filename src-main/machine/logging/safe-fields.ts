import { isSecretKey, MASK } from '../../../proto/config/secrets.ts';
import { setOwn } from '../../../proto/own-property.ts';
import type { JsonValue } from '../../apis/resource.ts';
import type { LogFields } from '../../base/logger.ts';

/** Most characters of a message or string in a log entry. */
export const MAX_TEXT = 16_384;
const MAX_ITEMS = 100;
const MAX_DEPTH = 6;

// Names that a configuration hides, and names that occur only in calls and in our own code.
const SECRET = /(?:^|[_\-. ])(?:key|payload)$/i;
const SECRET_CAMEL = /[a-z\d](?:Key|Payload)$/;

/** Whether the value of a field with this name is hidden: `key`, `api_key`, `launchToken`, ... */
export function isSecretName(name: string): boolean {
  return SECRET.test(name) || SECRET_CAMEL.test(name) || isSecretKey(name);
}

/** A text cut to the maximum, with the number of missing characters. */
export function cutText(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)} … (${text.length - MAX_TEXT} more characters)`;
}

const none: Readonly<Record<string, JsonValue>> = Object.freeze({});

/** Fields as JSON-safe data of bounded size, with secrets masked. Never throws. */
export function safeFields(fields: LogFields | undefined): Readonly<Record<string, JsonValue>> {
  if (fields === undefined) return none;
  return safeObject(fields, 0, new Set([fields]));
}

function safeObject(source: object, depth: number, above: Set<object>): Record<string, JsonValue> {
  const result: Record<string, JsonValue> = {};
  let count = 0;
  for (const name of Object.keys(source)) {
    if (++count > MAX_ITEMS) {
      result['…'] = `${Object.keys(source).length - MAX_ITEMS} more`;
      break;
    }
    setOwn(result, name, isSecretName(name) ? MASK : safeValue(read(source, name), depth + 1, above));
  }
  return result;
}

function read(source: object, name: string): unknown {
  try {
    return (source as Record<string, unknown>)[name];
  } catch (thrown) {
    // A getter that throws must not lose the log line.
    return `[unreadable: ${String(thrown)}]`;
  }
}

function safeValue(value: unknown, depth: number, above: Set<object>): JsonValue {
  switch (typeof value) {
    case 'string':
      return cutText(value);
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return value.toString();
    case 'undefined':
      return null;
    case 'function':
    case 'symbol':
      return `[${typeof value}]`;
    case 'object':
      return value === null ? null : safeComposite(value, depth, above);
  }
}

function safeComposite(value: object, depth: number, above: Set<object>): JsonValue {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (above.has(value)) return '[circular]';
  if (depth > MAX_DEPTH) return '[too deep]';
  above.add(value);
  let result: JsonValue;
  if (Array.isArray(value)) {
    result = value.slice(0, MAX_ITEMS).map((item) => safeValue(item, depth + 1, above));
    if (value.length > MAX_ITEMS) result.push(`… ${value.length - MAX_ITEMS} more`);
  } else if (value instanceof Error) {
    result = { name: value.name, message: cutText(value.message), ...safeObject(value, depth, above) };
    if (value.cause !== undefined) result['cause'] = safeValue(value.cause, depth + 1, above);
  } else if (value instanceof Map || value instanceof Set) {
    result = safeValue([...value], depth, above);
  } else {
    result = safeObject(value, depth, above);
  }
  above.delete(value);
  return result;
}
