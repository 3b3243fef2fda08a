import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

/**
 * Creates a file that only its owner may read and write, or removes the rights of others from an existing one: an
 * earlier version, or a copy, may have left some. Does not open an existing file: closing it would release the locks
 * that this process has on it (POSIX.1-2024, fcntl).
 */
export function makePrivateFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) closeSync(openSync(file, 'a', 0o600));
  else if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
}
