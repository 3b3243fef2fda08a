import { changeWords, cut, listWords, renameWords, valueWords } from '../../../../proto/config/changes/change-words.ts';
import { textChanges, type EntryChange } from '../../../../proto/config/changes/text-changes.ts';
import type { ListChange, ValueChange } from '../../../../proto/config/changes/value-changes.ts';
import { canonicalModel } from '../../../../proto/config/names.ts';
import { MASK } from '../../../../proto/config/secrets.ts';
import type { JsonValue } from '../../../../proto/config/text/json-text.ts';
import { isJsonObject, textEntries } from '../../../../proto/config/text/text-entries.ts';
import { modelLabel, subtypeOf } from '../../../shared/machine/rpc/status-merge.ts';

/** One value that differs. Secrets are masked: the comparison says only that they differ. */
export interface FieldDifference {
  /** `max_rpm`, `pins.a`, `depends_on`: as in the text, without a leading `attributes`. */
  readonly key: string;
  /** The value on each side, as JSON or in words; undefined if that side does not have it. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly isSecret: boolean;
}

/** A list that differs, or a reference to a renamed resource, in words: `digital interrupts: added enc_a`. */
export interface WordedDifference {
  readonly key: string;
  readonly words: string;
  /** What happened to its items, if the same to all. */
  readonly kind: 'added' | 'changed' | 'removed';
}

/** A resource, a module or a top-level key of the document that differs. */
export interface SubjectDifference {
  /** `core:component:motor/left`, `module/acme`, `network`. */
  readonly subject: string;
  /** The full name that a renamed resource had; undefined for others. */
  readonly oldName: string | undefined;
  /** `left`; `left → right` for a renamed resource. */
  readonly name: string;
  /** `motor · gpio`; '' for a top-level key. */
  readonly what: string;
  readonly kind: EntryChange['kind'];
  readonly fields: readonly (FieldDifference | WordedDifference)[];
}

/** The differences between two configurations, by resource; undefined if one of them is not a JSON object. */
export function compareByResource(from: string, to: string): readonly SubjectDifference[] | undefined {
  const before = textEntries(from === '' ? '{}' : from);
  const after = textEntries(to === '' ? '{}' : to);
  if (before === undefined || after === undefined) return undefined;
  return textChanges(before, after).map(({ subject, oldName, kind, was, is, changes }) => ({
    subject,
    oldName,
    name: oldName === undefined ? subject.slice(subject.indexOf('/') + 1) : renameWords({ from: oldName, to: subject }),
    what: whatOf(subject, (is ?? was)?.value),
    kind,
    fields: changes.flatMap((change) => fieldsOf(change, subject)),
  }));
}

function whatOf(subject: string, value: JsonValue | undefined): string {
  if (subject.startsWith('module/')) return 'module';
  const slash = subject.indexOf('/');
  if (slash < 0) return '';
  const model = isJsonObject(value) ? value['model'] : undefined;
  const label = typeof model === 'string' ? modelLabel(canonicalModel(model) ?? model) : '';
  return [subtypeOf(subject.slice(0, slash)), label].filter((word) => word !== '').join(' · ');
}

/** The rows of one change; what changed in the items of a list follows it. */
function fieldsOf(change: ValueChange, subject: string): readonly (FieldDifference | WordedDifference)[] {
  const key = keyOf(change, subject);
  switch (change.kind) {
    case 'secret':
      return [{ key, from: change.wasSet ? MASK : undefined, to: change.isSet ? MASK : undefined, isSecret: true }];
    case 'value':
      if (change.isFollowing) return [{ key, words: changeWords(change), kind: 'changed' }];
      return [{ key, from: shown(change.before), to: shown(change.after), isSecret: false }];
    case 'list': {
      const title = key.replaceAll('_', ' ');
      const words = listWords(change.list);
      const row = { key, words: title === '' ? words : `${title}: ${words}`, kind: kindOf(change.list) };
      const inner = change.list.changed.flatMap(({ changes }) => changes.flatMap((each) => fieldsOf(each, subject)));
      return [row, ...inner];
    }
  }
}

/** The title of a machine setting has its key already. */
function keyOf({ place: { path } }: ValueChange, subject: string): string {
  if (subject.includes('/')) return path;
  return path === subject ? '' : path.slice(subject.length + 1);
}

function kindOf({ added, removed, changed, following }: ListChange): WordedDifference['kind'] {
  if (changed.length + following.length > 0) return 'changed';
  if (removed.length === 0) return added.length === 0 ? 'changed' : 'added';
  return added.length === 0 ? 'removed' : 'changed';
}

/** A value as JSON, cut if it is long; an object or list that another kind of value replaces by its size. */
function shown(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' && value !== null ? valueWords(value) : cut(JSON.stringify(value));
}
