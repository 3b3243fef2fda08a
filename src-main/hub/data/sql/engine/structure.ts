/**
 * Structure of readings, as DuckDB's `json_structure` writes it: the name of a type, a list with the structure of its
 * items, or an object with the structures of its fields.
 */
export type Structure = string | readonly [Structure] | { readonly [field: string]: Structure };

/** Fields of one object. Objects with more probably have generated keys, such as ids, and are better as JSON. */
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 32;

const numbers = new Set(['UBIGINT', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE']);

/** A structure that fits both. A field that is a number in one and a text in the other is JSON. */
export function merged(a: Structure, b: Structure): Structure {
  if (a === 'NULL') return b;
  if (b === 'NULL') return a;
  if (typeof a === 'string' || typeof b === 'string') {
    if (a === b) return a;
    const isNumber = typeof a === 'string' && typeof b === 'string' && numbers.has(a) && numbers.has(b);
    return isNumber ? 'DOUBLE' : 'JSON';
  }
  if (isList(a) || isList(b)) return isList(a) && isList(b) ? [merged(a[0], b[0])] : 'JSON';
  const fields = new Map(Object.entries(a));
  for (const [name, structure] of Object.entries(b)) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? structure : merged(known, structure));
  }
  return Object.fromEntries(fields);
}

/**
 * Converts a structure to the type of a column. Numbers become doubles, which is what machines send. JSON is what
 * DuckDB has no type for: empty objects, objects whose field names differ only in case, and objects with too many
 * fields.
 */
export function columnStructure(structure: Structure, depth = 0): Structure {
  if (typeof structure === 'string') {
    if (numbers.has(structure)) return 'DOUBLE';
    return structure === 'NULL' ? 'JSON' : structure;
  }
  if (depth === MAX_DEPTH) return 'JSON';
  if (isList(structure)) return [columnStructure(structure[0], depth + 1)];
  const fields = Object.entries(structure);
  const names = new Set(fields.map(([name]) => name.toLowerCase()));
  if (names.size === 0 || names.size < fields.length || names.has('') || names.size > MAX_FIELDS) return 'JSON';
  return Object.fromEntries(fields.map(([name, inner]) => [name, columnStructure(inner, depth + 1)]));
}

/** Adds a path that a query names and no reading has, so that it is null instead of an error. */
export function withPath(structure: Structure, path: readonly string[], type: string): Structure {
  const [name, ...rest] = path;
  if (name === undefined || typeof structure === 'string' || isList(structure)) return structure;
  const known = Object.keys(structure).find((each) => each.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return { ...structure, [known]: withPath(structure[known] ?? 'JSON', rest, type) };
  const added = rest.toReversed().reduce<Structure>((inner, each) => ({ [each]: inner }), type);
  return { ...structure, [name]: added };
}

function isList(structure: Structure): structure is readonly [Structure] {
  return Array.isArray(structure);
}
