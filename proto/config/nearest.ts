/** Names longer than this are never typing errors worth a guess. */
const LONGEST_GUESS = 80;

/**
 * Damerau-Levenshtein distance (optimal string alignment: insert, delete,
 * replace, swap of neighbours), or `limit + 1` as soon as it is above `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let best = row;
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      }
      current.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    beforePrevious = previous;
    previous = current;
  }
  return Math.min(previous[b.length] ?? 0, limit + 1);
}

/**
 * The candidate most like `name`, or undefined where none is near enough to be
 * a typing error: at most a third of the letters may differ, three at the most,
 * so that names of one or two letters are near only what differs in case.
 * Upper and lower case count as equal. Of equally near ones the first wins.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name === '' || name.length > LONGEST_GUESS) return undefined;
  const wanted = name.toLowerCase();
  let limit = Math.min(3, Math.floor(name.length / 3));
  let best: string | undefined;
  for (const candidate of candidates) {
    if (candidate.length > LONGEST_GUESS) continue;
    const distance = editDistance(wanted, candidate.toLowerCase(), limit);
    if (distance > limit) continue;
    best = candidate;
    if (distance === 0) break;
    limit = distance - 1;
  }
  return best;
}
