import { readingOf } from '../../../../proto/config/triggers/conditions.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { ReadingItem } from '../../../shared/machine/data/data-calls.ts';
import { fieldName, leavesOf } from '../../../shared/readings/fields.ts';
import type { Text } from '../../../shared/text.ts';
import { valueWords } from '../draft/trigger-words.ts';

/** The last reading of a captured method, in the form that conditions compare. */
export interface LastReading {
  /** Time of the machine, ms since 1970. */
  readonly at: number;
  /** Without the wrapper that it has on the wire. */
  readonly reading: unknown;
}

export function lastReadingOf({ at, payload }: ReadingItem): LastReading {
  return { at, reading: readingOf(payload as JsonValue) };
}

/** The fields of the last reading that can be compared, each with its value. */
export function fieldOptions(
  last: LastReading | undefined,
  chosen: readonly string[] | undefined,
  t: Text,
): readonly PickOption[] {
  const leaves = last === undefined ? [] : leavesOf(last.reading);
  const options = leaves
    .filter(({ path, value }) => path.length > 0 && ['number', 'string', 'boolean'].includes(typeof value))
    // Conditions do not look into lists, so an index is not a key.
    .filter(({ path }) => !isInList(last?.reading, path))
    .map(({ path, value }) => ({ value: fieldName(path), label: fieldName(path), detail: valueWords(value) }));
  if (chosen?.length !== 0) return options;
  return [{ value: '', label: t('triggers.condition.only') }, ...options];
}

function isInList(reading: unknown, path: readonly string[]): boolean {
  let value = reading;
  for (const key of path) {
    if (Array.isArray(value)) return true;
    value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  }
  return false;
}
