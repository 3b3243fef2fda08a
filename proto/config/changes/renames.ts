import { canonicalApi, canonicalModel, parseFullName, shortNameOf } from '../names.ts';
import type { JsonValue } from '../text/json-text.ts';
import { isJsonObject, isSameValue, type JsonObject } from '../text/text-entries.ts';

/** A resource that has another name now. Full names. */
export interface Rename {
  readonly from: string;
  readonly to: string;
}

/** The entries of resources by full name, as one of the two configurations has them. */
export type EntryValues = ReadonlyMap<string, JsonObject>;

/** With more possible pairs of one model, nothing is taken for renamed: nobody renames so many at once. */
const MAX_PAIRS = 250_000;

/** Keys that say what an entry is and how it is named; compared by the full name and model instead. */
const identity: ReadonlySet<string> = new Set(['name', 'api', 'namespace', 'type', 'model']);

/**
 * The renamed resources between two configurations. A resource is renamed if one is gone and another of its API and
 * model is new, and both have equal contents, or something that is in both configurations named the one and names the
 * other now.
 */
export class Renames {
  readonly list: readonly Rename[];
  readonly #byNewName: ReadonlyMap<string, string>;
  readonly #byOldName: ReadonlyMap<string, string>;
  /** Renames by the old short name. */
  readonly #byShortName: ReadonlyMap<string, readonly Rename[]>;

  constructor(list: readonly Rename[]) {
    this.list = list;
    this.#byOldName = new Map(list.map(({ from, to }) => [from, to]));
    this.#byNewName = new Map(list.map(({ from, to }) => [to, from]));
    this.#byShortName = grouped(list, ({ from }) => shortNameOf(from));
  }

  static readonly none = new Renames([]);

  static between(before: EntryValues, after: EntryValues): Renames {
    const gone = [...before.keys()].filter((name) => !after.has(name) && parseFullName(name) !== undefined);
    const fresh = [...after.keys()].filter((name) => !before.has(name) && parseFullName(name) !== undefined);
    if (gone.length === 0 || fresh.length === 0) return Renames.none;
    const seen = referenceChanges(before, after);
    const groups = groupsOf(before, gone, after, fresh);
    let found = Renames.none;
    // A renamed motor whose board is renamed too is recognised once its board is.
    for (;;) {
      const next = groups.flatMap((group) => pairsIn(group, before, after, seen, found));
      if (next.length === 0) return found;
      found = new Renames([...found.list, ...next]);
    }
  }

  /** The name that a renamed resource had; undefined for any other. */
  oldName(name: string): string | undefined {
    return this.#byNewName.get(name);
  }

  /** The name that a renamed resource has now; undefined for any other. */
  newName(name: string): string | undefined {
    return this.#byOldName.get(name);
  }

  /** Whether `before` names a renamed resource, by its full or short name, and `after` the same with its new name. */
  readonly follows = (before: string, after: string): boolean => {
    const renames = this.#byShortName.get(shortNameOf(before)) ?? [];
    const prefix = before.slice(0, before.length - shortNameOf(before).length);
    const api = prefix === '' ? undefined : canonicalApi(prefix.slice(0, -1));
    return renames.some(
      ({ from, to }) => after === prefix + shortNameOf(to) && (api === undefined || parseFullName(from)?.api === api),
    );
  };
}

interface Group {
  readonly gone: readonly string[];
  readonly fresh: readonly string[];
}

/** The gone and the new resources of each API and model. */
function groupsOf(
  before: EntryValues,
  gone: readonly string[],
  after: EntryValues,
  fresh: readonly string[],
): readonly Group[] {
  const wasBy = grouped(gone, (name) => kindOf(name, before.get(name)));
  const isBy = grouped(fresh, (name) => kindOf(name, after.get(name)));
  return [...wasBy].flatMap(([kind, names]) => {
    const others = isBy.get(kind) ?? [];
    return others.length === 0 || names.length * others.length > MAX_PAIRS ? [] : [{ gone: names, fresh: others }];
  });
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function kindOf(name: string, entry: JsonObject | undefined): string {
  const model = entry?.['model'];
  return `${parseFullName(name)?.api ?? ''} ${typeof model === 'string' ? (canonicalModel(model) ?? model) : ''}`;
}

/** Pairs that are not found yet: first those that references tell, then those with equal contents, in their order. */
function pairsIn(
  { gone, fresh }: Group,
  before: EntryValues,
  after: EntryValues,
  seen: ReadonlySet<string>,
  found: Renames,
): readonly Rename[] {
  const pairs: Rename[] = [];
  const taken = new Set<string>();
  const take = (isPair: (from: string, to: string) => boolean): void => {
    for (const from of gone) {
      if (found.newName(from) !== undefined || taken.has(from)) continue;
      const to = fresh.find((name) => found.oldName(name) === undefined && !taken.has(name) && isPair(from, name));
      if (to === undefined) continue;
      pairs.push({ from, to });
      taken.add(from).add(to);
    }
  };
  take((from, to) => seen.has(referenceKey(shortNameOf(from), shortNameOf(to))));
  take((from, to) => {
    // It may name itself.
    const own = new Renames([{ from, to }]);
    const follows = (one: string, other: string): boolean => found.follows(one, other) || own.follows(one, other);
    return hasSameContents(before.get(from), after.get(to), follows);
  });
  return pairs;
}

function hasSameContents(
  was: JsonObject | undefined,
  is: JsonObject | undefined,
  follows: Renames['follows'],
): boolean {
  const keys = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})]);
  return [...keys].every((key) => identity.has(key) || isSameUnder(was?.[key], is?.[key], follows));
}

/** Whether two values are equal but for the new names in them. */
function isSameUnder(one: JsonValue | undefined, other: JsonValue | undefined, follows: Renames['follows']): boolean {
  if (isSameValue(one, other)) return true;
  if (typeof one === 'string' && typeof other === 'string') return follows(one, other);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameUnder(item, other[index], follows));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSameUnder(one[key], other[key], follows));
}

/** What names changed into what in the entries that both configurations have. */
function referenceChanges(before: EntryValues, after: EntryValues): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const [name, is] of after) {
    const was = before.get(name);
    if (was !== undefined && was !== is) visitTexts(was, is, seen);
  }
  return seen;
}

function visitTexts(one: JsonValue | undefined, other: JsonValue | undefined, seen: Set<string>): void {
  if (typeof one === 'string' && typeof other === 'string') {
    if (one !== other) seen.add(referenceKey(shortNameOf(one), shortNameOf(other)));
  } else if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length === other.length) one.forEach((item, index) => visitTexts(item, other[index], seen));
  } else if (isJsonObject(one) && isJsonObject(other)) {
    for (const key of Object.keys(one)) if (Object.hasOwn(other, key)) visitTexts(one[key], other[key], seen);
  }
}

function referenceKey(one: string, other: string): string {
  return `${one}\n${other}`;
}
