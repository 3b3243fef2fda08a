import { isJsonObject, isSameValue } from '../../../../../proto/config/text/text-entries.ts';
import { joinPointer } from '../../../../../proto/config/text/json-pointer.ts';
import { insertItem, RawJson, removeValue, setValue } from '../editing/document-edits.ts';
import { documentChanges } from '../editing/document-changes.ts';
import { readDocument, sections, type DocumentModel } from '../document-model.ts';
import { childOf, childrenAt, rootOf, type JsonPath } from '../editing/json-scan.ts';
import { alignItems } from './merge-items.ts';

export type Side = 'mine' | 'theirs';

/** A field that both sides changed to different values: a person chooses one. */
export interface FieldConflict {
  /** Pointer with names instead of positions in lists: `/components/left/attributes/max_rpm`. */
  readonly key: string;
  /** Name of the resource or module; '' for a machine-wide setting. */
  readonly owner: string;
  /** Keys from the owner to the field; empty if one side removed the owner. */
  readonly field: readonly string[];
  /** JSON text of each side; undefined if that side removed it. */
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
}

export interface Merge {
  readonly conflicts: readonly FieldConflict[];
  /** Names of what the other side changed, added or removed. */
  readonly theirChanges: readonly string[];
  /** True if some of my order of entries, or my spelling of unchanged values, is lost. */
  readonly dropsLayout: boolean;
  /** Their text with my changes in it. A conflict without a choice keeps their value. */
  result(choices: ReadonlyMap<string, Side>): string;
}

/** A value and where it is in its text. */
interface Node {
  readonly value: unknown;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One change to their text; for a conflict, it is made only if mine is chosen. */
interface Edit {
  readonly kind: 'set' | 'remove' | 'insert';
  /** In their unedited text. */
  readonly path: JsonPath;
  readonly text: string;
  readonly conflict: string | undefined;
}

interface Place {
  readonly path: JsonPath;
  /** The keys of the path, with names instead of positions for list items that have names. */
  readonly names: readonly string[];
}

/**
 * Merges two changes of one text, field by field: a field that only one side changed gets the value of that side. Edits
 * their text, so that its layout stays. Items of lists are matched by their names, even after a rename. Undefined while
 * one of the texts does not parse.
 */
export function mergeTexts(base: string, mine: string, theirs: string): Merge | undefined {
  const [before, own, other] = [readDocument(base), readDocument(mine), readDocument(theirs)];
  if (before.kind === 'broken' || own.kind === 'broken' || other.kind === 'broken') return undefined;
  const merging = new Merging();
  merging.compare(rootNode(base, before.model), rootNode(mine, own.model), rootNode(theirs, other.model), {
    path: [],
    names: [],
  });
  return {
    conflicts: merging.conflicts,
    theirChanges: changedNames(before.model, other.model),
    dropsLayout: merging.dropsLayout,
    result: (choices) => edited(theirs, merging.edits, choices),
  };
}

class Merging {
  readonly edits: Edit[] = [];
  readonly conflicts: FieldConflict[] = [];
  dropsLayout = false;

  compare(base: Node | undefined, mine: Node | undefined, theirs: Node | undefined, place: Place): void {
    if (mine === undefined) {
      if (theirs === undefined || base === undefined) return;
      if (isSame(base, theirs)) this.#edit('remove', place, '');
      else this.#conflict('remove', place, mine, theirs);
      return;
    }
    if (theirs === undefined) {
      if (base === undefined) this.#edit('set', place, written(mine));
      else if (!isSame(base, mine)) this.#conflict('set', place, mine, theirs);
      return;
    }
    const [before, own, other] = [base && written(base), written(mine), written(theirs)];
    if (own === other || before === own) return;
    if (before === other) this.#edit('set', place, own);
    else if (isSame(mine, theirs) || this.#compareWithin(base, mine, theirs, place)) return;
    else if (base !== undefined && isSame(base, mine)) this.dropsLayout = true;
    else if (base !== undefined && isSame(base, theirs)) this.#edit('set', place, own);
    else this.#conflict('set', place, mine, theirs);
  }

  /** Compares the contents of two objects or two lists; false for any other pair. */
  #compareWithin(base: Node | undefined, mine: Node, theirs: Node, place: Place): boolean {
    if (isJsonObject(mine.value) && isJsonObject(theirs.value)) {
      const known = base !== undefined && isJsonObject(base.value) ? base.value : {};
      for (const key of new Set([...Object.keys(theirs.value), ...Object.keys(mine.value), ...Object.keys(known)])) {
        const within = { path: [...place.path, key], names: [...place.names, key] };
        this.compare(childNode(base, key), childNode(mine, key), childNode(theirs, key), within);
      }
      return true;
    }
    if (!Array.isArray(mine.value) || !Array.isArray(theirs.value)) return false;
    const known: unknown = base?.value;
    const aligned = alignItems(Array.isArray(known) ? known : [], mine.value, theirs.value);
    if (aligned === undefined) return false;
    this.dropsLayout ||= aligned.isReordered;
    for (const { name, base: was, mine: own, theirs: other, insertAt } of aligned.items) {
      const at = { path: [...place.path, other ?? insertAt], names: [...place.names, name] };
      const ownNode = childNode(mine, own);
      const count = this.edits.length;
      this.compare(childNode(base, was), ownNode, childNode(theirs, other), at);
      const added = this.edits[count];
      if (other === undefined && added !== undefined) this.edits[count] = { ...added, kind: 'insert' };
    }
    return true;
  }

  #edit(kind: Edit['kind'], { path }: Place, text: string, conflict?: string): void {
    this.edits.push({ kind, path, text, conflict });
  }

  #conflict(kind: Edit['kind'], place: Place, mine: Node | undefined, theirs: Node | undefined): void {
    const key = place.names.reduce<string>((pointer, name) => joinPointer(pointer, name), '');
    const isOfEntry = typeof place.path[1] === 'number';
    this.conflicts.push({
      key,
      owner: isOfEntry ? (place.names[1] ?? '') : '',
      field: place.names.slice(isOfEntry ? 2 : 0),
      mine: mine && written(mine),
      theirs: theirs && written(theirs),
    });
    this.#edit(kind, place, mine === undefined ? '' : written(mine), key);
  }
}

/**
 * Makes the edits in an order that keeps every path valid: first those that change no index, then list items, those of
 * inner lists before those of outer ones, and from the last item to the first.
 */
function edited(text: string, edits: readonly Edit[], choices: ReadonlyMap<string, Side>): string {
  const wanted = edits.filter(({ conflict }) => conflict === undefined || choices.get(conflict) === 'mine');
  const isMove = ({ kind, path }: Edit): boolean =>
    kind === 'insert' || (kind === 'remove' && typeof path.at(-1) === 'number');
  const ofItems = wanted
    .filter(isMove)
    .map((edit, order) => ({ ...edit, order, index: Number(edit.path.at(-1)) }))
    .sort(
      (one, other) =>
        other.path.length - one.path.length ||
        other.index - one.index ||
        Number(one.kind === 'insert') - Number(other.kind === 'insert') ||
        other.order - one.order,
    );
  return [...wanted.filter((edit) => !isMove(edit)), ...ofItems].reduce(done, text);
}

function done(text: string, { kind, path, text: value }: Edit): string {
  if (kind === 'remove') return removeValue(text, path);
  if (kind === 'set') return setValue(text, path, new RawJson(value));
  return insertItem(text, path.slice(0, -1), Number(path.at(-1)), new RawJson(value));
}

function rootNode(text: string, model: DocumentModel): Node {
  const { start, end } = rootOf(text) ?? { start: 0, end: 0 };
  return { value: model.root, text, start, end };
}

function childNode(node: Node | undefined, step: string | number | undefined): Node | undefined {
  if (node === undefined || step === undefined || typeof node.value !== 'object' || node.value === null)
    return undefined;
  if (Array.isArray(node.value) ? typeof step !== 'number' : typeof step !== 'string') return undefined;
  const child = childOf(childrenAt(node.text, node.start), step);
  if (child === undefined) return undefined;
  const value = (node.value as Readonly<Record<string | number, unknown>>)[step];
  return { value, text: node.text, start: child.start, end: child.end };
}

function written({ text, start, end }: Node): string {
  return text.slice(start, end);
}

function isSame(one: Node, other: Node): boolean {
  return written(one) === written(other) || isSameValue(one.value, other.value);
}

function changedNames(base: DocumentModel, theirs: DocumentModel): string[] {
  const { changes, removed } = documentChanges(base, theirs);
  const lists: ReadonlySet<string> = new Set(sections);
  const settings = new Set([...Object.keys(base.root), ...Object.keys(theirs.root)]);
  return [
    ...theirs.entries.filter(({ fullName }) => changes.has(fullName)).map(({ name }) => name),
    ...removed.map(({ name }) => name),
    ...[...settings].filter((key) => !lists.has(key) && !isSameValue(base.root[key], theirs.root[key])),
  ];
}
