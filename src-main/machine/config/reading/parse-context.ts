import type { LogLevel } from '../../../base/logger.ts';
import { parseDuration } from '../../../../proto/config/duration.ts';
import type { JsonNode } from '../../../../proto/config/text/json-text.ts';
import { parseLogLevel } from '../../logging/log-entry.ts';
import type { ObjectReader, UnsupportedKeys } from './object-reader.ts';
import type { PlaceholderValues } from './placeholder-expansion.ts';
import type { ProblemList } from '../problem-list.ts';

/** State shared by the readers of one document. */
export interface ParseContext {
  readonly problems: ProblemList;
  readonly unsupported: UnsupportedKeys;
  readonly placeholders: PlaceholderValues;
}

/**
 * The level under a key. An invalid one is a warning and counts as absent: log settings must never keep a motor from
 * running.
 */
export function readLogLevel(reader: ObjectReader, key: string): LogLevel | undefined {
  const word = reader.text(key, 'warning');
  if (word === undefined || word === '') return undefined;
  const level = parseLogLevel(word);
  if (level === undefined) {
    reader.report(key, 'warning', 'log.unknown_level', `"${word}" is not a log level; the usual level is kept.`, {
      allowed: ['debug', 'info', 'warn', 'error'],
    });
  }
  return level;
}

/** Milliseconds under a key; undefined if absent, or invalid, which is reported. */
export function readDuration(reader: ObjectReader, key: string): number | undefined {
  const text = reader.text(key);
  if (text === undefined || text === '') return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) {
    reader.report(
      key,
      'error',
      'config.bad_duration',
      `"${text.slice(0, 40)}" is not a time; write one like 300ms, 2s or 1m30s.`,
    );
  }
  return ms;
}

/** The name of an entry in messages: `component "left"`, or its place if it has no name. */
export function entryLabel(kind: string, node: JsonNode, index: number): string {
  for (const [key, child] of node.properties ?? []) {
    if (key.toLowerCase() === 'name' && typeof child.value === 'string' && child.value !== '') {
      return `${kind} "${child.value.slice(0, 80)}"`;
    }
  }
  return `${kind} ${index + 1}`;
}
