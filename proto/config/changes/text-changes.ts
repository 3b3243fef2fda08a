import { parseFullName } from '../names.ts';
import { isSecretPointer } from '../secrets.ts';
import { joinPointer } from '../text/json-pointer.ts';
import { entryDifferences, isJsonObject, type JsonObject, type TextEntry } from '../text/text-entries.ts';
import { Renames } from './renames.ts';
import { entryPlace, placeIn, valueChanges, type Steps, type ValueChange } from './value-changes.ts';

/** A resource, a module or another key of a configuration that differs from another configuration. */
export interface EntryChange {
  /** `core:component:motor/left`, `module/acme`, `network`; of a renamed resource its name now. */
  readonly subject: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'renamed';
  /** The full name that a renamed resource had; undefined for others. */
  readonly oldName: string | undefined;
  readonly was: TextEntry | undefined;
  readonly is: TextEntry | undefined;
  /** Without the name of the entry, and without the keys that its subject has. */
  readonly changes: readonly ValueChange[];
}

/** Keys that a subject is made of. */
const identity: ReadonlySet<string> = new Set(['name', 'api', 'namespace', 'type']);

/**
 * What differs between the entries of two configurations, in the order of `after`; then what is gone. A renamed
 * resource is one change. Secrets are hidden.
 */
export function textChanges(
  before: ReadonlyMap<string, TextEntry>,
  after: ReadonlyMap<string, TextEntry>,
): readonly EntryChange[] {
  const renames = Renames.between(resourcesOf(before), resourcesOf(after));
  return entryDifferences(before, after).flatMap(({ subject, was, is }): readonly EntryChange[] => {
    if (is === undefined && renames.newName(subject) !== undefined) return [];
    const oldName = was === undefined ? renames.oldName(subject) : undefined;
    const old = oldName === undefined ? was : before.get(oldName);
    const all = changesBetween(subject, old, is, renames);
    const isSameSubject = was !== undefined && is !== undefined;
    const kind =
      oldName !== undefined ? 'renamed' : was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
    const changes = all.filter(({ place: { steps } }) => isSameSubject || !isIdentity(subject, steps));
    return [{ subject, kind, oldName, was: old, is, changes }];
  });
}

function isIdentity(subject: string, [key]: Steps): boolean {
  return subject.includes('/') && typeof key === 'string' && identity.has(key);
}

function changesBetween(
  subject: string,
  was: TextEntry | undefined,
  is: TextEntry | undefined,
  { follows }: Renames,
): readonly ValueChange[] {
  const pointers = [was?.pointer, is?.pointer].filter((pointer) => pointer !== undefined);
  // A key of the document is its own first step, so that its value has a name.
  const isKey = !subject.includes('/');
  const isHidden = (steps: Steps): boolean =>
    pointers.some((pointer) => {
      const inside = isKey ? steps.slice(1) : steps;
      return isSecretPointer(inside.reduce<string>((outer, step) => joinPointer(outer, step), pointer));
    });
  const place = isKey ? placeIn(entryPlace, subject) : entryPlace;
  return valueChanges(was?.value, is?.value, place, { isHidden, follows });
}

function resourcesOf(entries: ReadonlyMap<string, TextEntry>): ReadonlyMap<string, JsonObject> {
  return new Map(
    [...entries].flatMap(([subject, { value }]) =>
      parseFullName(subject) !== undefined && isJsonObject(value) ? [[subject, value] as const] : [],
    ),
  );
}
