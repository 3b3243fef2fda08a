import { isJsonObject, isSameValue } from '../../../../../proto/config/text/text-entries.ts';

/** One item of a list in three texts: its index in each, undefined where it is missing. */
export interface AlignedItem {
  readonly name: string;
  readonly base: number | undefined;
  readonly mine: number | undefined;
  readonly theirs: number | undefined;
  /** Index at which to insert it into their list. */
  readonly insertAt: number;
}

export interface AlignedItems {
  readonly items: readonly AlignedItem[];
  /** Mine has the items of the base in another order. */
  readonly isReordered: boolean;
}

type Item = Readonly<Record<string, unknown>>;
type NameOf = (item: Item) => string | undefined;

/** Ways to identify the items of a list: the first that every item has, with a different value in each, is used. */
const nameRules: readonly NameOf[] = [
  ({ name }) => textOf(name),
  // A motor and a servo may have the same name; a service may have none.
  ({ name, api, type }) => (api === undefined && type === undefined ? undefined : JSON.stringify([name, api ?? type])),
  ({ pattern }) => textOf(pattern),
  ({ id }) => textOf(id),
];

/**
 * Matches the items of three lists: by name; by their other contents if one side renamed an item; by index if they have
 * no names and the lists are equally long. Undefined if they cannot be matched: then the list is merged as one value.
 */
export function alignItems(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[],
): AlignedItems | undefined {
  if (!areObjects(base) || !areObjects(mine) || !areObjects(theirs)) return undefined;
  for (const nameOf of nameRules) {
    const [baseNames, mineNames, theirNames] = [base, mine, theirs].map((items) => namesOf(items, nameOf));
    if (baseNames === undefined || mineNames === undefined || theirNames === undefined) continue;
    return byName(baseNames, renamed(base, baseNames, mine, mineNames), renamed(base, baseNames, theirs, theirNames));
  }
  if (base.length !== mine.length || base.length !== theirs.length) return undefined;
  const items = base.map((_, at) => ({ name: String(at + 1), base: at, mine: at, theirs: at, insertAt: at }));
  return { items, isReordered: false };
}

function byName(base: readonly string[], mine: readonly string[], theirs: readonly string[]): AlignedItems {
  const indexIn = (names: readonly string[], name: string): number | undefined => {
    const index = names.indexOf(name);
    return index < 0 ? undefined : index;
  };
  const items = [...new Set([...theirs, ...mine, ...base])].map((name) => {
    const own = indexIn(mine, name);
    return {
      name,
      base: indexIn(base, name),
      mine: own,
      theirs: indexIn(theirs, name),
      insertAt: own === undefined ? theirs.length : placeFor(own, mine, theirs),
    };
  });
  const kept = mine.filter((name) => base.includes(name));
  const before = base.filter((name) => mine.includes(name));
  return { items: inOrderOf(mine, items), isReordered: kept.some((name, index) => name !== before[index]) };
}

/** Items that are inserted at one place keep my order. */
function inOrderOf(mine: readonly string[], items: readonly AlignedItem[]): AlignedItem[] {
  const order = (item: AlignedItem): number => (item.mine === undefined ? mine.length : item.mine);
  return items.toSorted((one, other) => order(one) - order(other));
}

/** The index after the nearest preceding item that they have too. */
function placeFor(index: number, mine: readonly string[], theirs: readonly string[]): number {
  for (let before = index - 1; before >= 0; before -= 1) {
    const found = theirs.indexOf(mine[before] ?? '');
    if (found >= 0) return found + 1;
  }
  return index === 0 ? 0 : theirs.length;
}

/** Names of a side's items; a renamed item has its old name. */
function renamed(
  base: readonly Item[],
  baseNames: readonly string[],
  side: readonly Item[],
  sideNames: readonly string[],
): readonly string[] {
  const gone = new Set(baseNames.filter((name) => !sideNames.includes(name)));
  return sideNames.map((name, index) => {
    const item = side[index];
    if (item === undefined || baseNames.includes(name)) return name;
    const old = [...gone].find((each) => {
      const before = base[baseNames.indexOf(each)];
      if (before === undefined) return false;
      if (isSameValue(withoutName(before), withoutName(item))) return true;
      return baseNames.indexOf(each) === index && base.length === side.length && isSameKind(before, item);
    });
    if (old === undefined) return name;
    gone.delete(old);
    return old;
  });
}

/** Whether an item at the same place has the same model and API: renamed and changed in another way too. */
function isSameKind(one: Item, other: Item): boolean {
  return (
    one['model'] !== undefined && isSameValue(one['model'], other['model']) && isSameValue(one['api'], other['api'])
  );
}

function withoutName({ name: _, ...rest }: Item): Item {
  return rest;
}

function namesOf(items: readonly Item[], nameOf: NameOf): readonly string[] | undefined {
  const names = items.map(nameOf);
  if (!names.every((name) => name !== undefined) || new Set(names).size !== names.length) return undefined;
  return names;
}

function areObjects(items: readonly unknown[]): items is readonly Item[] {
  return items.every(isJsonObject);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
