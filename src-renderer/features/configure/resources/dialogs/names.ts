import { MAX_NAME_LENGTH, spellingProblem } from '../../../../shared/names.ts';
import type { Text } from '../../../../shared/text.ts';
import { isResource, type DocumentEntry, type DocumentModel } from '../../document/document-model.ts';

/** A name that nothing has yet: `motor-1`, `motor-2`, ...; a number at the end of the wish gives way. */
export function freeName(model: DocumentModel, wish: string, first = 1): string {
  const taken = new Set(model.entries.map(({ name }) => name));
  const stem = wish.replace(/-\d+$/, '').slice(0, MAX_NAME_LENGTH.resource - 5);
  let number = first;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

/** What is wrong with a name for an entry, in words; '' where it may have it. `own` is the entry itself. */
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
  // A short name for two resources is allowed by the machine, and leaves it open which one a reference means.
  const family = (other: DocumentEntry['section']): string => (isResource({ section: other }) ? 'resources' : other);
  const isTaken = model.entries.some(
    (entry) => entry.name === name && entry.pointer !== own?.pointer && family(entry.section) === family(section),
  );
  return isTaken ? t('name.taken', { name }) : '';
}
