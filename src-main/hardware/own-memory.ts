/**
 * Keeps other processes of the same user from reading memory and environment of this one: modules may run as that user.
 * Not while it is debugged, which needs just that.
 * @returns false where that is not possible: not Linux, or the addon was not built
 */
export async function hideOwnMemory(): Promise<boolean> {
  if (process.execArgv.some((argument) => argument.startsWith('--inspect'))) return false;
  return (await import('../../native/index.js')).hideMemory();
}
