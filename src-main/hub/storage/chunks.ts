/** Maximum number of rows or ids in a statement, because databases limit its values. */
const MAX_ITEMS = 500;

/** Splits items, in order, into chunks that each fit into one statement. */
export function chunksOf<T>(items: readonly T[], max = MAX_ITEMS): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += max) chunks.push(items.slice(at, at + max));
  return chunks;
}
