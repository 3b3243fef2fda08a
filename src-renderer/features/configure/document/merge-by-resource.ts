import { insertItem, RawJson, removeValue, setValue } from './document-edits.ts';
import { readDocument, sections, type DocumentEntry, type DocumentModel, type Section } from './document-model.ts';
import { childrenAt, rootOf } from './json-scan.ts';
import { isSameJson } from './json-values.ts';

/** What one side did to a part, compared with what both began from. */
export type PartChange = 'same' | 'added' | 'changed' | 'removed';
export type Side = 'mine' | 'theirs';

/** A resource, a module or a machine-wide setting that differs from the common beginning on some side. */
export interface MergePart {
  readonly key: string;
  readonly kind: 'resource' | 'module' | 'setting';
  readonly name: string;
  readonly mine: PartChange;
  readonly theirs: PartChange;
  /** JSON text of each side; undefined where it is not there. */
  readonly mineText: string | undefined;
  readonly theirsText: string | undefined;
  /** Both changed it, each in another way: a person chooses. */
  readonly isConflict: boolean;
}

export interface Merge {
  readonly parts: readonly MergePart[];
  /** My order of entries or spacing between them is not taken over: it is not of one part. */
  readonly dropsLayout: boolean;
  /** Their text with my changes in it. A conflict without a choice stays theirs. */
  result(choices: ReadonlyMap<string, Side>): string;
}

/** A part as it stands in one text. */
interface Unit {
  readonly kind: MergePart['kind'];
  readonly name: string;
  readonly value: unknown;
  readonly text: string;
  readonly section: Section | undefined;
  /** Key of the entry before it in its section; '' of the first. */
  readonly after: string;
}

type Units = ReadonlyMap<string, Unit>;

/** Three-way merge by resource; undefined while one of the texts does not parse. */
export function mergeByResource(base: string, mine: string, theirs: string): Merge | undefined {
  const [baseUnits, mineUnits, theirUnits] = [unitsOf(base), unitsOf(mine), unitsOf(theirs)];
  if (baseUnits === undefined || mineUnits === undefined || theirUnits === undefined) return undefined;
  const parts = partsOf(baseUnits, mineUnits, theirUnits);
  const ownParts = partsOf(baseUnits, mineUnits, baseUnits);
  return {
    parts: parts.filter(({ mine: own, theirs: other }) => own !== 'same' || other !== 'same'),
    dropsLayout: applied(base, baseUnits, mineUnits, takenKeys(ownParts, baseUnits, mineUnits, new Map())) !== mine,
    result: (choices) => applied(theirs, theirUnits, mineUnits, takenKeys(parts, baseUnits, mineUnits, choices)),
  };
}

function partsOf(base: Units, mine: Units, theirs: Units): MergePart[] {
  const keys = new Set([...theirs.keys(), ...mine.keys(), ...base.keys()]);
  return [...keys].map((key) => {
    const [before, own, other] = [base.get(key), mine.get(key), theirs.get(key)];
    const mineChange = changeOf(before, own);
    const theirChange = changeOf(before, other);
    const isBoth = mineChange !== 'same' && theirChange !== 'same';
    const some = own ?? other ?? before;
    return {
      key,
      kind: some?.kind ?? 'setting',
      name: some?.name ?? key,
      mine: mineChange,
      theirs: theirChange,
      mineText: own?.text,
      theirsText: other?.text,
      isConflict: isBoth && changeOf(own, other) !== 'same',
    };
  });
}

function changeOf(before: Unit | undefined, after: Unit | undefined): PartChange {
  if (before === undefined) return after === undefined ? 'same' : 'added';
  if (after === undefined) return 'removed';
  return isSameJson(before.value, after.value) ? 'same' : 'changed';
}

/** The parts of which my text is taken: my changes, my choices, and my spelling of what they left as it was. */
function takenKeys(
  parts: readonly MergePart[],
  base: Units,
  mine: Units,
  choices: ReadonlyMap<string, Side>,
): readonly string[] {
  return parts
    .filter((part) => {
      if (part.isConflict) return choices.get(part.key) === 'mine';
      if (part.theirs !== 'same') return false;
      return part.mine !== 'same' || base.get(part.key)?.text !== mine.get(part.key)?.text;
    })
    .map(({ key }) => key);
}

/** `text` with the parts `keys` as they are in `mine`. */
function applied(text: string, units: Units, mine: Units, keys: readonly string[]): string {
  const taken = new Set(keys);
  let result = text;
  /** Keys of the entries of each section, as they stand in `result`. */
  const order = new Map(sections.map((section) => [section, keysIn(units, section)]));
  const pathOf = (key: string): (string | number)[] => {
    const section = units.get(key)?.section;
    return section === undefined ? [key.slice(1)] : [section, order.get(section)?.indexOf(key) ?? -1];
  };
  for (const [key, { section }] of units) {
    if (!taken.has(key) || mine.has(key)) continue;
    result = removeValue(result, pathOf(key));
    const list = section && order.get(section);
    list?.splice(list.indexOf(key), 1);
  }
  for (const [key, { section, text: own, after }] of mine) {
    if (!taken.has(key)) continue;
    const list = section && order.get(section);
    if (section === undefined || list === undefined || units.has(key)) {
      result = setValue(result, pathOf(key), new RawJson(own));
    } else {
      const index = indexBehind(list, mine, after);
      result = insertItem(result, [section], index, new RawJson(own));
      list.splice(index, 0, key);
    }
  }
  return result;
}

function keysIn(units: Units, section: Section): string[] {
  return [...units].filter(([, unit]) => unit.section === section).map(([key]) => key);
}

/** Where an entry of mine goes: behind the nearest one before it that is there too. */
function indexBehind(keys: readonly string[], mine: Units, after: string): number {
  for (let key = after; key !== ''; key = mine.get(key)?.after ?? '') {
    const index = keys.indexOf(key);
    if (index >= 0) return index + 1;
  }
  return after === '' ? 0 : keys.length;
}

/** The parts of a text: entries by section and name, the other keys of the root by themselves. */
function unitsOf(text: string): Units | undefined {
  const read = readDocument(text);
  if (read.kind === 'broken') return undefined;
  const units = new Map<string, Unit>();
  const listed = sections.filter((section) => addEntries(units, text, read.model, section));
  const root = rootOf(text);
  if (root === undefined) return units;
  for (const { key = '', start, end } of childrenAt(text, root.start)) {
    if (listed.some((section) => section === key)) continue;
    const unit = { kind: 'setting', name: key, value: read.model.root[key], text: text.slice(start, end) } as const;
    units.set(`/${key}`, { ...unit, section: undefined, after: '' });
  }
  return units;
}

/** Returns whether the section is a list of entries; what is anything else is one part like a setting. */
function addEntries(units: Map<string, Unit>, text: string, model: DocumentModel, section: Section): boolean {
  const list = model.root[section];
  const entries = model.entries.filter((entry) => entry.section === section);
  if (!Array.isArray(list) || list.length !== entries.length) return false;
  let after = '';
  for (const entry of entries) {
    const key = freeKey(units, entry);
    units.set(key, {
      kind: section === 'modules' ? 'module' : 'resource',
      name: entry.name,
      value: entry.value,
      text: text.slice(entry.from, entry.to),
      section,
      after,
    });
    after = key;
  }
  return true;
}

/** Entries of one name are told apart by their order. */
function freeKey(units: Units, { section, fullName }: DocumentEntry): string {
  const plain = `${section} ${fullName}`;
  let key = plain;
  for (let count = 2; units.has(key); count += 1) key = `${plain} ${count}`;
  return key;
}
