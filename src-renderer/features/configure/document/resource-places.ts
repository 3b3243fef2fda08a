import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import { isResource, type DocumentModel } from './document-model.ts';

/** Where an entry of `components` or `services` is in the text of a configuration. `from` and `to` are offsets. */
export interface ResourcePlace {
  /** `/components/2`. */
  readonly pointer: string;
  /** Undefined if it has none. */
  readonly name: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The entries of a text in order; also of a text that is half typed. Parses the whole text: call it once per text. */
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

/** The same, from a model that was read already, without parsing. */
export function placesOf(model: DocumentModel): readonly ResourcePlace[] {
  return model.entries
    .filter(isResource)
    .map(({ pointer, name, from, to }) => ({ pointer, name: name === '' ? undefined : name, from, to }));
}

function nameOf(entry: Node): string | undefined {
  if (entry.type !== 'object') return undefined;
  const value: unknown = findNodeAtLocation(entry, ['name'])?.value;
  return typeof value === 'string' ? value : undefined;
}
