/**
 * How many of the waiting texts the hub has already from another program: two programs on one configuration file see
 * the same changes, and only one of them is connected to the hub. Counts the oldest waiting texts that are among the
 * hub's newest versions in the same order, if the last of them is the newest version. So a text that comes back later
 * does not drop the texts in between.
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

/** Whether `some` occur in `all` in the same order, perhaps with others in between. */
function isSubsequence(some: readonly string[], all: readonly string[]): boolean {
  let found = 0;
  for (const one of all) if (one === some[found]) found++;
  return found === some.length;
}
