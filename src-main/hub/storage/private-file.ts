import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/**
 * Makes a file that its owner alone may read and write, or takes the rights of others from one that is there: an earlier
 * version, or who copied it, may have left some. An existing one is not opened: closing it would take back the locks that
 * this process has on it (POSIX.1-2024, fcntl).
 */
export function makePrivateFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'a', 0o600));
  else if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}
