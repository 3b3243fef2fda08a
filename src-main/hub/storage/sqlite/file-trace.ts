import { statSync, type BigIntStats } from 'node:fs';

/**
 * SQLite writes its log, waits for the disk, and only then lets others see what was stored: seconds later on a bad disk,
 * without another trace. The times of files go in ticks of the kernel as well.
 */
const SETTLED_MS = 5_000;

/**
 * What a change of a SQLite database, by whatever program, leaves different: the times and sizes of its files. Undefined
 * while they are too new to tell, and where they cannot be looked at.
 * @param settledMs time after which what was written is taken to be seen by everybody
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
