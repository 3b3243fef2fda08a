/** Rows, or ids, of one statement: databases limit its values. */
const MOST = 500;

/** The items in their order, in pieces of which each goes into one statement. */
export function chunksOf<T>(items: readonly T[], most = MOST): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += most) chunks.push(items.slice(at, at + most));
  return chunks;
}
