import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';

/** The file of the stored log, in its folder. */
export const DATABASE_FILE = 'log.db';

/** SQLITE_CORRUPT and SQLITE_NOTADB: the file is damaged, or not a database. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

/** Whether a failure of SQLite means that the file itself is damaged. */
export function isCorruption(thrown: unknown): boolean {
  const { errcode } = thrown as { readonly errcode?: unknown };
  // The lower byte is the kind of error, the rest is detail.
  return typeof errcode === 'number' && DAMAGED.has(errcode & 0xff);
}

/**
 * Renames a damaged database, so that a new one can be created; its content is kept. It must be closed. Throws errors
 * of the file system.
 * @returns what happened, a sentence for people
 */
export function quarantineFile(file: string, why: unknown): string {
  const { dir, name, ext } = path.parse(file);
  let aside = '';
  for (let count = 1; aside === '' || existsSync(aside); count++)
    aside = path.join(dir, `${name}-damaged-${count}${ext}`);
  renameSync(file, aside);
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
  const reason = why instanceof Error ? why.message : String(why);
  return (
    `The stored log ${file} is damaged (${reason}). It was renamed to ${aside}, and a new one was begun; ` +
    `"sqlite3 ${aside} .recover" may bring its lines back. Check the disk.`
  );
}
