import { MAX_NAME_LENGTH, spellingProblem } from '../../../../shared/names.ts';
import type { Text } from '../../../../shared/text.ts';
import { isResource, type DocumentEntry, type DocumentModel } from '../../document/document-model.ts';

/** A free name made from a wish: `motor-1`, `motor-2`, ...; replaces a number at the end of the wish. */
export function freeName(model: DocumentModel, wish: string, first = 1): string {
  return freeAmong(new Set(model.entries.map(({ name }) => name)), wish, first);
}

/** The same for any set of taken names. */
export function freeAmong(taken: ReadonlySet<string>, wish: string, first = 1): string {
  const stem = wish.replace(/-\d+$/, '').slice(0, MAX_NAME_LENGTH.resource - 5);
  let number = first;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

/** Why an entry cannot have a name, in words; '' if it can. `own` is the entry itself. */
export function nameProblem(
  name: string,
  model: DocumentModel,
  section: DocumentEntry['section'],
  own: DocumentEntry | undefined,
  t: Text,
): string {
  const kind = section === 'modules' ? 'module' : 'resource';
  const spelling = spellingProblem(name, kind, t);
  if (spelling !== '') return spelling;
  if (kind === 'module' && name === 'parent') return t('name.reserved');
  // The machine allows two resources with the same short name, but then references to it are ambiguous.
  const family = (other: DocumentEntry['section']): string => (isResource({ section: other }) ? 'resources' : other);
  const isTaken = model.entries.some(
    (entry) => entry.name === name && entry.pointer !== own?.pointer && family(entry.section) === family(section),
  );
  return isTaken ? t('name.taken', { name }) : '';
}
