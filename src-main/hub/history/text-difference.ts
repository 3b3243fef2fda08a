import {
  changesWords,
  renamedReason,
  renamesSummary,
  renameWords,
} from '../../../proto/config/changes/change-words.ts';
import { textChanges, type EntryChange } from '../../../proto/config/changes/text-changes.ts';
import { followingCount, isFollowing } from '../../../proto/config/changes/value-changes.ts';
import { shortNameOf } from '../../../proto/config/names.ts';
import { textEntries, type TextEntry } from '../../../proto/config/text/text-entries.ts';

/** One difference between two configurations. */
export interface TextChange {
  readonly kind: 'add' | 'change' | 'remove';
  /** Full name of a resource, `module/<name>`, or a key of the document. */
  readonly subject: string;
  /** The full name that a renamed resource had, which another change removes; '' for others. */
  readonly renamedFrom: string;
  /** `max_rpm 60 to 70`; `added`; `removed` */
  readonly reason: string;
  /** Keys of the entry and of its attributes that differ. */
  readonly fields: readonly string[];
}

export interface TextDifference {
  readonly changes: readonly TextChange[];
  /** One line for the history. */
  readonly summary: string;
}

const nothing: ReadonlyMap<string, TextEntry> = new Map();

/**
 * What changed from one configuration to another, found from the texts alone: for versions that are stored while their
 * machine is offline. The machine's own plan has more details, and replaces this later.
 */
export function textDifference(from: string, to: string): TextDifference {
  const found = textChanges(textEntries(from) ?? nothing, textEntries(to) ?? nothing);
  return { changes: found.flatMap(changesOf), summary: summaryOf(found) };
}

function changesOf({ kind, subject, oldName, changes }: EntryChange): readonly TextChange[] {
  const whole = { subject, renamedFrom: '', fields: [] };
  switch (kind) {
    case 'added':
      return [{ ...whole, kind: 'add', reason: 'added' }];
    case 'removed':
      return [{ ...whole, kind: 'remove', reason: 'removed' }];
    case 'renamed': {
      const gone = oldName ?? '';
      return [
        { ...whole, kind: 'add', renamedFrom: gone, reason: renamedReason(changes) },
        { ...whole, kind: 'remove', subject: gone, reason: `renamed to ${shortNameOf(subject)}` },
      ];
    }
    case 'changed': {
      const keys = changes.map(({ place: { steps } }) =>
        String(steps[0] === 'attributes' ? (steps[1] ?? '') : steps[0]),
      );
      const fields = subject.includes('/') ? [...new Set(keys)] : [];
      return [{ ...whole, kind: 'change', reason: changesWords(changes), fields }];
    }
  }
}

function summaryOf(found: readonly EntryChange[]): string {
  const [only] = found;
  if (only === undefined) return 'no changes';
  if (found.length === 1) return onlyWords(only);
  const renames = found.filter(isPureRename);
  const others = found.filter((change) => !isPureRename(change));
  if (renames.length > 0 && others.every(({ kind, changes }) => kind === 'changed' && changes.every(isFollowing))) {
    return renamesSummary(renames.map(renameOf), referencesIn(found));
  }
  const count = (kind: EntryChange['kind']): number => found.filter((change) => change.kind === kind).length;
  const counts = [
    [count('renamed'), 'renamed'],
    [count('added'), 'added'],
    [count('changed'), 'changed'],
    [count('removed'), 'removed'],
  ] as const;
  return counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(', ');
}

/** `left: max_rpm 60 to 70`, `left → right`, `left → right: max_rpm 60 to 70`, `debug set to true`. */
function onlyWords(change: EntryChange): string {
  const { kind, subject, changes } = change;
  if (isPureRename(change)) return renamesSummary([renameOf(change)], referencesIn([change]));
  if (kind === 'renamed') return `${renameWords(renameOf(change))}: ${changesWords(changes)}`;
  if (!subject.includes('/')) return changesWords(changes);
  const name = subject.startsWith('module/') ? subject.replace('/', ' ') : shortNameOf(subject);
  return `${name}: ${kind === 'changed' ? changesWords(changes) : kind}`;
}

/** Whether nothing but the name changed, and the names of others in it. */
function isPureRename({ kind, changes }: EntryChange): boolean {
  return kind === 'renamed' && changes.every(isFollowing);
}

function renameOf({ oldName, subject }: EntryChange): { readonly from: string; readonly to: string } {
  return { from: oldName ?? '', to: subject };
}

function referencesIn(changes: readonly EntryChange[]): number {
  return changes.flatMap(({ changes: inner }) => inner.map(followingCount)).reduce((sum, count) => sum + count, 0);
}
