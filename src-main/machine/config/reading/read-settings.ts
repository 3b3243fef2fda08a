import {
  authHandlerSchema,
  authSchema,
  logEntrySchema,
  maintenanceSchema,
} from '../../../../proto/config/schema/document-schema.ts';
import { joinPointer } from '../../../../proto/config/text/json-pointer.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import { fullName, parseFullName } from '../../../../proto/config/names.ts';
import { nearest } from '../../../../proto/config/nearest.ts';
import { compileLogPattern } from '../../logging/log-pattern.ts';
import type { LogPattern } from '../../logging/log-settings.ts';
import type { ApiKey, AuthConfig, MachineConfig } from '../machine-config.ts';
import { ObjectReader } from './object-reader.ts';
import { readLogLevel, type ParseContext } from './parse-context.ts';
import type { ProblemSink } from '../problem-list.ts';

export const openAccess: AuthConfig = { isEnabled: false, apiKeys: [] };

/**
 * A key under `auth` with fewer characters gets a warning. 16 hexadecimal digits are 2^64 keys, and an address may try
 * ten wrong ones a minute; keys that our hub makes have 50.
 */
export const SHORTEST_SURE_KEY = 16;

/** Reads `auth`. Errors go to `sink`; if there are any, the caller ignores the result. */
export function readAuth(node: JsonNode, pointer: string, sink: ProblemSink, context: ParseContext): AuthConfig {
  const reader = new ObjectReader(node, pointer, 'auth', authSchema, sink, context.unsupported);
  const handlers = reader.list('handlers') ?? [];
  const apiKeys: ApiKey[] = [];
  handlers.forEach((handler, index) => {
    const at = joinPointer(reader.pointerOf('handlers'), index);
    if (handler.properties === undefined) {
      sink.report({
        pointer: at,
        severity: 'error',
        code: 'config.wrong_type',
        message: 'auth: an entry of "handlers" is an object in { } with type and config.',
        found: handler.value,
      });
      return;
    }
    const inner = new ObjectReader(handler, at, 'auth', authHandlerSchema, sink, context.unsupported);
    const type = inner.text('type');
    if (type !== undefined && type !== 'api-key') {
      inner.report(
        'type',
        'error',
        'auth.unknown_handler',
        `"${type.slice(0, 80)}" is not a handler; only api-key is.`,
        {
          allowed: ['api-key'],
          nearest: nearest(type, ['api-key']),
        },
      );
      return;
    }
    if (!inner.has('type')) {
      inner.reportMissing('type', '"type" is missing in a handler; write api-key.', {
        allowed: ['api-key'],
      });
    }
    if (index > 0) {
      inner.report(
        'type',
        'error',
        'auth.duplicate_handler',
        'there is a handler api-key already; put all keys into one.',
      );
      return;
    }
    apiKeys.push(...readApiKeys(inner, sink));
  });
  return { isEnabled: handlers.length > 0, apiKeys };
}

function readApiKeys(handler: ObjectReader, sink: ProblemSink): ApiKey[] {
  const config = handler.object('config');
  const at = handler.pointerOf('config');
  const report = (pointer: string, severity: 'error' | 'warning', code: string, message: string): void =>
    sink.report({ pointer, severity, code, message: `auth: ${message}` });
  if (config === undefined) {
    if (!handler.has('config')) handler.reportMissing('config', '"config" with the keys is missing.');
    return [];
  }
  const ids = config.properties?.get('keys');
  if (ids?.items === undefined || ids.items.length === 0) {
    const message = '"keys" must be an array with the id of each key that is accepted; without one nobody could call.';
    report(ids === undefined ? at : joinPointer(at, 'keys'), 'error', 'auth.no_keys', message);
    return [];
  }
  const accepted = new Set<string>();
  const apiKeys: ApiKey[] = [];
  ids.items.forEach((item, index) => {
    const pointer = joinPointer(joinPointer(at, 'keys'), index);
    if (typeof item.value !== 'string' || item.value === '') {
      report(pointer, 'error', 'config.wrong_type', 'an entry of "keys" is the id of a key, in double quotes.');
      return;
    }
    const id = item.value;
    if (accepted.has(id)) return;
    accepted.add(id);
    const key = id === 'keys' ? undefined : config.properties?.get(id)?.value;
    if (typeof key !== 'string' || key === '') {
      const message = `"keys" names "${id}", but there is no key under that id; add it beside "keys".`;
      report(pointer, 'error', 'auth.no_key', message);
      return;
    }
    apiKeys.push({ id, key });
    if (key.length >= SHORTEST_SURE_KEY) return;
    // Not an error: a machine that always had a short key must still start after an update.
    const message = `the key "${id}" has fewer than ${SHORTEST_SURE_KEY} characters, so others could guess it; use a long random one, for example what "openssl rand -hex 24" prints.`;
    report(joinPointer(at, id), 'warning', 'auth.short_key', message);
  });
  for (const id of config.properties?.keys() ?? []) {
    if (id === 'keys' || accepted.has(id)) continue;
    report(
      joinPointer(at, id),
      'warning',
      'auth.unlisted_key',
      `the key "${id}" is not accepted: "keys" does not name it.`,
    );
  }
  return apiKeys;
}

/** Usable entries of `log`, and their places. Others are skipped with a warning. */
export function readLog(
  items: readonly JsonNode[],
  pointer: string,
  sink: ProblemSink,
  context: ParseContext,
): readonly { readonly entry: LogPattern; readonly pointer: string }[] {
  return items.flatMap((item, index) => {
    const at = joinPointer(pointer, index);
    const skip = (code: string, key: string, message: string, reader?: ObjectReader): [] => {
      const text = `log: entry ${index + 1} is skipped: ${message}`;
      sink.report({
        pointer: reader?.pointerOf(key) ?? at,
        severity: 'warning',
        code,
        message: text,
        found: item.value,
        missing: reader?.has(key) === false ? key : undefined,
      });
      return [];
    };
    if (item.properties === undefined)
      return skip('config.wrong_type', '', 'it must be an object with pattern and level.');
    const reader = new ObjectReader(item, at, 'log', logEntrySchema, sink, context.unsupported);
    const pattern = reader.text('pattern', 'warning');
    if (!reader.has('pattern') || pattern === '')
      return skip('config.missing_key', 'pattern', '"pattern" is missing.', reader);
    if (!reader.has('level')) return skip('config.missing_key', 'level', '"level" is missing.', reader);
    const level = readLogLevel(reader, 'level');
    if (pattern === undefined || level === undefined) return [];
    const compiled = compileLogPattern(pattern);
    if (compiled.kind === 'invalid') {
      const message = `"${pattern.slice(0, 80)}" is not a pattern (${compiled.reason}); * is any run of characters.`;
      return skip('log.bad_pattern', 'pattern', message, reader);
    }
    return [{ entry: { pattern, level }, pointer: reader.pointerOf('pattern') }];
  });
}

/** Reads `maintenance`. Errors go to `sink`. */
export function readMaintenance(
  node: JsonNode,
  pointer: string,
  sink: ProblemSink,
  context: ParseContext,
): MachineConfig['maintenance'] {
  const reader = new ObjectReader(node, pointer, 'maintenance', maintenanceSchema, sink, context.unsupported);
  const sensorName = reader.text('sensor_name') ?? '';
  const allowedKey = reader.text('maintenance_allowed_key') ?? '';
  if (!reader.has('sensor_name') || reader.node('sensor_name')?.value === '') {
    reader.reportMissing('sensor_name', '"sensor_name" is missing; write core:component:sensor/NAME.');
  } else if (sensorName !== '' && parseFullName(sensorName)?.api.split(':').slice(1).join(':') !== 'component:sensor') {
    reader.report(
      'sensor_name',
      'error',
      'maintenance.bad_sensor',
      `"${sensorName.slice(0, 80)}" is not the full name of a sensor; write core:component:sensor/NAME.`,
      { allowed: ['core:component:sensor/NAME'] },
    );
  }
  if (!reader.has('maintenance_allowed_key') || reader.node('maintenance_allowed_key')?.value === '') {
    reader.reportMissing(
      'maintenance_allowed_key',
      '"maintenance_allowed_key" is missing; it names the key of the reading that says whether maintenance is allowed.',
    );
  }
  const sensor = parseFullName(sensorName);
  return { sensorName: sensor === undefined ? sensorName : fullName(sensor.api, sensor.name), allowedKey };
}
