import { readingOf } from '../../../../proto/config/triggers/conditions.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import type { PickOption } from '../../../shared/components/popups/pick-options.ts';
import type { ReadingItem } from '../../../shared/machine/data/data-calls.ts';
import { fieldName, leavesOf } from '../../../shared/readings/fields.ts';
import type { Text } from '../../../shared/text.ts';
import { valueWords } from '../draft/trigger-words.ts';

/** What a captured method read last, as conditions see it. */
export interface LastReading {
  /** Wall-clock ms of the machine. */
  readonly at: number;
  /** Without what the wire puts around it. */
  readonly reading: unknown;
}

export function lastReadingOf({ at, payload }: ReadingItem): LastReading {
  return { at, reading: readingOf(payload as JsonValue) };
}

/** Fields to choose from: those of the last reading that can be compared, each with what it held. */
export function fieldOptions(
  last: LastReading | undefined,
  chosen: readonly string[] | undefined,
  t: Text,
): readonly PickOption[] {
  const leaves = last === undefined ? [] : leavesOf(last.reading);
  const options = leaves
    .filter(({ path, value }) => path.length > 0 && ['number', 'string', 'boolean'].includes(typeof value))
    // A position in a list is no key of an object: conditions do not look into lists.
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
