/**
 * How many of the waiting texts the hub has already from another program: two programs on one configuration file see the same
 * changes, and only one of them has the hub. It is as many, from the oldest on, as the hub's newest versions have among
 * them in the same order, the newest version being the last of them. So a text that comes back
 * later is no reason to drop those between.
 * @param waiting revisions, oldest first
 * @param stored revisions of the hub's versions, newest first
 */
export function countAlreadyStored(waiting: readonly string[], stored: readonly string[]): number {
  const [newest] = stored;
  for (let count = waiting.length; count > 0; count--) {
    if (waiting[count - 1] === newest && isSubsequence(waiting.slice(0, count).reverse(), stored)) return count;
  }
  return 0;
}

/** Whether `some` are in `all` in their order, others between them allowed. */
function isSubsequence(some: readonly string[], all: readonly string[]): boolean {
  let found = 0;
  for (const one of all) if (one === some[found]) found++;
  return found === some.length;
}
