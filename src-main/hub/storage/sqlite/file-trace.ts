import { statSync, type BigIntStats } from 'node:fs';

/**
 * SQLite writes its log, waits for the disk, and only then makes the change visible: on a slow disk seconds later, with
 * no further change of the files. File times are also only as exact as the kernel's tick.
 */
const SETTLED_MS = 5_000;

/**
 * A value that changes with each change of a SQLite database by any program: the times and sizes of its files.
 * Undefined while the files have changed too recently to be sure, or if they cannot be read.
 * @param settledMs time after which a written change counts as visible to all
 */
export function fileTrace(file: string, settledMs = SETTLED_MS): string | undefined {
  try {
    const stats = statSync(file, { bigint: true });
    const log = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
    const newestMs = Number(log === undefined || stats.mtimeMs > log.mtimeMs ? stats.mtimeMs : log.mtimeMs);
    if (Date.now() - newestMs < settledMs) return undefined;
    return `${traceOf(stats)} ${log === undefined ? '' : traceOf(log)}`;
  } catch {
    return undefined;
  }
}

function traceOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}/${size}/${mtimeNs}`;
}
