import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { DocumentModel } from './document-model.ts';

/** Where an entry of `components` or `services` is in the text of a configuration, as offsets. */
export interface ResourcePlace {
  /** `/components/2`. */
  readonly pointer: string;
  /** Undefined while it has none. */
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The entries of a text in their order; tolerant of one that is half typed. Costs a parse: ask once for a text. */
export function resourcePlaces(text: string): readonly ResourcePlace[] {
  const root = parseTree(text);
  if (root === undefined) return [];
  return ['components', 'services'].flatMap((list) =>
    (findNodeAtLocation(root, [list])?.children ?? []).map((entry, index) => ({
      pointer: `/${list}/${index}`,
      name: nameOf(entry),
      from: entry.offset,
      to: entry.offset + entry.length,
    })),
  );
}

/** The same of a text that was read: it costs nothing more. */
export function placesOf(model: DocumentModel): readonly ResourcePlace[] {
  return model.entries
    .filter(({ section }) => section !== 'modules')
    .map(({ pointer, name, from, to }) => ({ pointer, name: name === '' ? undefined : name, from, to }));
}

/** The name of the resource whose entry holds an offset. */
export function resourceAt(places: readonly ResourcePlace[], offset: number): string | undefined {
  return places.find(({ from, to }) => offset >= from && offset <= to)?.name;
}

/** How many of the pointers are in each resource's entry: `/components/2/attributes/max_rpm` is in that of the third. */
export function countByResource(
  places: readonly ResourcePlace[],
  pointers: readonly string[],
): ReadonlyMap<string, number> {
  const names = new Map(places.map(({ pointer, name }) => [pointer, name]));
  const counts = new Map<string, number>();
  for (const pointer of pointers) {
    const name = names.get(pointer.split('/', 3).join('/'));
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function nameOf(entry: Node): string | undefined {
  if (entry.type !== 'object') return undefined;
  const value: unknown = findNodeAtLocation(entry, ['name'])?.value;
  return typeof value === 'string' ? value : undefined;
}
