import { isJsonObject } from '../../../../../proto/config/text/text-entries.ts';
import { isResource, type DocumentEntry } from '../../document/document-model.ts';
import type { EntryChange } from '../../document/editing/entry-edits.ts';

/** The levels that a log has. */
export const levels = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof levels)[number];

/** Disables or enables the entries that are not so yet. */
export function disabling(entries: readonly DocumentEntry[], isDisabled: boolean): readonly EntryChange[] {
  return entries
    .filter(({ value }) => (value['disabled'] === true) !== isDisabled)
    .map((entry) => ({ entry, path: ['disabled'], value: isDisabled ? true : undefined }));
}

/**
 * Sets the log level of the entries that have one: not of other machines, and not where something else than a level is
 * written. Undefined means the default; entries that have the level already are left out.
 */
export function levelling(entries: readonly DocumentEntry[], level: Level | undefined): readonly EntryChange[] {
  return entries.flatMap((entry) => {
    const change = isResource(entry) ? levelOfResource(entry, level) : levelOfModule(entry, level);
    return change ?? [];
  });
}

function levelOfModule(entry: DocumentEntry, level: Level | undefined): EntryChange | undefined {
  if (entry.section !== 'modules' || isLevel(entry.value['log_level'], level)) return undefined;
  return { entry, path: ['log_level'], value: level };
}

function levelOfResource(entry: DocumentEntry, level: Level | undefined): EntryChange | undefined {
  const found = entry.value['log_configuration'];
  if (found !== undefined && !isJsonObject(found)) return undefined;
  if (isLevel(found?.['level'], level)) return undefined;
  // An object that held nothing but the level goes with it.
  const isLast = level === undefined && found !== undefined && Object.keys(found).length === 1;
  return { entry, path: isLast ? ['log_configuration'] : ['log_configuration', 'level'], value: level };
}

function isLevel(found: unknown, level: Level | undefined): boolean {
  return typeof found === 'string' ? found.toLowerCase() === level : found === level;
}
