import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject, isSameValue } from '../text/text-entries.ts';

/** Keys and positions that lead from an entry to a value in it. */
export type Steps = readonly (string | number)[];

/** A place in an entry. */
export interface Place {
  readonly steps: Steps;
  /** For people: `max_rpm`, `pins.a`, `digital_interrupts.limit.pin`; without a leading `attributes`. '' for the entry. */
  readonly path: string;
}

/** One difference between two values. Absent sides are undefined. */
export type ValueChange =
  | {
      readonly kind: 'value';
      readonly place: Place;
      readonly before: JsonValue | undefined;
      readonly after: JsonValue | undefined;
      /** It names a renamed resource, and nothing else about it changed. */
      readonly isFollowing: boolean;
    }
  /** A value that nobody is shown. */
  | { readonly kind: 'secret'; readonly place: Place; readonly wasSet: boolean; readonly isSet: boolean }
  | { readonly kind: 'list'; readonly place: Place; readonly list: ListChange };

/** What differs between two lists; if all is empty, their order. Items are named as people know them. */
export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ChangedItem[];
  /** Names of renamed resources. */
  readonly following: readonly { readonly before: string; readonly after: string }[];
}

/** An item that both lists have, with the differences in it. */
export interface ChangedItem {
  readonly name: string;
  readonly changes: readonly ValueChange[];
}

/** What a comparison must know beyond the two values. */
export interface ChangeRules {
  /** Whether the value at these steps is hidden, with all in it. */
  readonly isHidden: (steps: Steps) => boolean;
  /** Whether two different texts name the same resource before and after its renaming. */
  readonly follows: (before: string, after: string) => boolean;
}

/** The place of a whole entry. */
export const entryPlace: Place = { steps: [], path: '' };

/** A place inside another; `label` is what people call it, if that is not its key. */
export function placeIn({ steps, path }: Place, step: string | number, label = String(step)): Place {
  const isAttributes = steps.length === 0 && step === 'attributes';
  const shown = path === '' ? label : `${path}.${label}`;
  return { steps: [...steps, step], path: isAttributes ? '' : shown };
}

/**
 * The differences between two values, each at the innermost place that has a name for people: leaves of objects, and
 * lists by their items. Empty for equal values; the order of keys does not count.
 */
export function valueChanges(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: Place,
  rules: ChangeRules,
): readonly ValueChange[] {
  if (isSameValue(before, after)) return [];
  if (rules.isHidden(place.steps)) {
    return [{ kind: 'secret', place, wasSet: before !== undefined, isSet: after !== undefined }];
  }
  const sides = [before, after].filter((side) => side !== undefined);
  if (sides.every((side) => Array.isArray(side))) {
    const list = listChange(asList(before), asList(after), place, rules);
    // An empty list that comes or goes has no items to name.
    const isEmpty = sides.every(({ length }) => length === 0);
    return isEmpty ? [{ kind: 'value', place, before, after, isFollowing: false }] : [{ kind: 'list', place, list }];
  }
  const keys = sides.every((side) => isJsonObject(side)) ? new Set(sides.flatMap((side) => Object.keys(side))) : [];
  const inner = [...keys].flatMap((key) => valueChanges(at(before, key), at(after, key), placeIn(place, key), rules));
  if (inner.length > 0) return inner;
  const isFollowing = typeof before === 'string' && typeof after === 'string' && rules.follows(before, after);
  return [{ kind: 'value', place, before, after, isFollowing }];
}

/** Whether a change only takes over the new name of a resource. */
export function isFollowing(change: ValueChange): boolean {
  if (change.kind === 'value') return change.isFollowing;
  if (change.kind === 'secret') return false;
  const { added, removed, changed, following } = change.list;
  if (added.length + removed.length > 0 || following.length + changed.length === 0) return false;
  return changed.every((item) => item.changes.every(isFollowing));
}

/** How many references in a change only take over a new name. */
export function followingCount(change: ValueChange): number {
  if (change.kind === 'value') return change.isFollowing ? 1 : 0;
  if (change.kind === 'secret') return 0;
  const inner = change.list.changed.flatMap(({ changes }) => changes.map(followingCount));
  return inner.reduce((sum, count) => sum + count, change.list.following.length);
}

function at(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function listChange(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  place: Place,
  rules: ChangeRules,
): ListChange {
  return [...before, ...after].every(isPlain)
    ? plainChange(before, after, rules)
    : itemChange(before, after, place, rules);
}

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}

/** Lists of plain values differ by the values: each as often as the other list lacks it. */
function plainChange(before: readonly JsonValue[], after: readonly JsonValue[], { follows }: ChangeRules): ListChange {
  const added = lacking(before, after);
  const removed = lacking(after, before);
  const following: { before: string; after: string }[] = [];
  for (const old of removed.filter((value) => typeof value === 'string')) {
    const now = added.filter((value) => typeof value === 'string').find((value) => follows(old, value));
    if (now === undefined) continue;
    following.push({ before: old, after: now });
    removed.splice(removed.indexOf(old), 1);
    added.splice(added.indexOf(now), 1);
  }
  return { added: added.map(itemWords), removed: removed.map(itemWords), changed: [], following };
}

/** The values of `list` that `other` has less often. */
function lacking(other: readonly JsonValue[], list: readonly JsonValue[]): JsonValue[] {
  const left = new Map<JsonValue, number>();
  for (const value of other) left.set(value, (left.get(value) ?? 0) + 1);
  return list.filter((value) => {
    const count = left.get(value) ?? 0;
    if (count > 0) left.set(value, count - 1);
    return count === 0;
  });
}

function itemWords(value: JsonValue): string {
  return typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
}

/** Lists of objects differ by the items of one name, others by those at one position. */
function itemChange(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  place: Place,
  rules: ChangeRules,
): ListChange {
  const hasNames = hasOwnNames(before) && hasOwnNames(after);
  const was = itemsOf(before, hasNames);
  const is = itemsOf(after, hasNames);
  const changed = [...is].flatMap(([name, { value, index }]): ChangedItem[] => {
    const old = was.get(name);
    if (old === undefined) return [];
    const changes = valueChanges(old.value, value, placeIn(place, index, name), rules);
    return changes.length === 0 ? [] : [{ name, changes }];
  });
  return {
    added: [...is.keys()].filter((name) => !was.has(name)),
    removed: [...was.keys()].filter((name) => !is.has(name)),
    changed,
    following: [],
  };
}

/** Whether no two items have the same name. */
function hasOwnNames(list: readonly JsonValue[]): boolean {
  const names = list.map(nameOf).filter((name) => name !== undefined);
  return new Set(names).size === names.length;
}

/** The items by name; those without one by position, `#2`. */
function itemsOf(
  list: readonly JsonValue[],
  hasNames: boolean,
): ReadonlyMap<string, { readonly value: JsonValue; readonly index: number }> {
  return new Map(
    list.map((value, index) => [(hasNames ? nameOf(value) : undefined) ?? `#${index + 1}`, { value, index }]),
  );
}

/** What people know an item by; patterns of log levels have no other name. */
function nameOf(item: JsonValue): string | undefined {
  if (!isJsonObject(item)) return undefined;
  return [item['name'], item['pattern']].find((name) => typeof name === 'string' && /^[^#\s]/.test(name)) as
    string | undefined;
}
