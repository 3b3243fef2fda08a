import { statSync, type BigIntStats } from 'node:fs';

/** The times of files go in ticks of the kernel, of 10 ms at most: within one, a second change may leave no trace. */
const SETTLED_MS = 50;

/**
 * What a change of a SQLite database, by whatever program, leaves different: the times and sizes of its files. Undefined
 * while they are too new to tell, and where they cannot be looked at.
 */
export function fileTrace(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true });
    const log = statSync(`${file}-wal`, { bigint: true, throwIfNoEntry: false });
    const newestMs = Number(log === undefined || stats.mtimeMs > log.mtimeMs ? stats.mtimeMs : log.mtimeMs);
    if (Date.now() - newestMs < SETTLED_MS) return undefined;
    return `${traceOf(stats)} ${log === undefined ? '' : traceOf(log)}`;
  } catch {
    return undefined;
  }
}

function traceOf({ ino, size, mtimeNs }: BigIntStats): string {
  return `${ino}/${size}/${mtimeNs}`;
}
