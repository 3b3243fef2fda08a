/** Inserts log lines into plain SQLite, as durably as the hub: the minimum cost of storing them. */
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';

/** Inserts this many lines into a new file, one transaction per batch. @returns lines a second */
export async function bareSqlite(file: string, lines: number, batch: number): Promise<number> {
  const child = spawnNode([import.meta.filename, 'insert', file, String(lines), String(batch)], {
    cpu: SERVER_CPU,
    environment: {},
    hasChannel: true,
  });
  const [perSecond] = (await once(child, 'message')) as [number];
  await endProcess(child);
  return perSecond;
}

function insert(file: string, lines: number, batch: number): number {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    `CREATE TABLE entries (part TEXT, position INTEGER, time INTEGER, level INTEGER, logger TEXT, message TEXT,
     fields TEXT, PRIMARY KEY (part, position))`,
  );
  const statement = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)');
  const startedAt = performance.now();
  for (let line = 0; line < lines;) {
    database.exec('BEGIN IMMEDIATE');
    for (const end = line + batch; line < end; line++) {
      statement.run('part', line, 1_800_000_000_000 + line, 2, 'core.bench', `a line of the log, number ${line}`, '{}');
    }
    database.exec('COMMIT');
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  database.close();
  return lines / seconds;
}

if (import.meta.main && process.argv[2] === 'insert') {
  const [, , , file = '', lines, batch] = process.argv;
  process.send?.(insert(file, Number(lines), Number(batch)));
}
