import { isSameValue } from '../../../../../proto/config/text/text-entries.ts';
import type { DocumentEntry, DocumentModel } from '../document-model.ts';

/** The differences between the draft and the applied configuration, by entry. */
export interface DocumentChanges {
  readonly changes: ReadonlyMap<string, 'added' | 'changed'>;
  readonly removed: readonly DocumentEntry[];
  /** Whether the entries that both have are in another order. */
  readonly isReordered: boolean;
}

/** Compares two documents. Spacing, order of keys and order of entries do not count as changes of an entry. */
export function documentChanges(applied: DocumentModel, draft: DocumentModel): DocumentChanges {
  if (applied === draft) return { changes: new Map(), removed: [], isReordered: false };
  const before = new Map(applied.entries.map((entry) => [entry.fullName, entry]));
  const names = new Set(draft.entries.map(({ fullName }) => fullName));
  const changes = new Map<string, 'added' | 'changed'>();
  for (const { fullName, value } of draft.entries) {
    const was = before.get(fullName);
    if (was === undefined) changes.set(fullName, 'added');
    else if (!isSameValue(was.value, value)) changes.set(fullName, 'changed');
  }
  const removed = applied.entries.filter(({ fullName }) => !names.has(fullName));
  return { changes, removed, isReordered: isReordered(before, draft.entries) };
}

function isReordered(before: ReadonlyMap<string, DocumentEntry>, entries: readonly DocumentEntry[]): boolean {
  let last: DocumentEntry | undefined;
  for (const { section, fullName } of entries) {
    const was = before.get(fullName);
    if (was?.section !== section) continue;
    if (last?.section === section && was.index < last.index) return true;
    last = was;
  }
  return false;
}
