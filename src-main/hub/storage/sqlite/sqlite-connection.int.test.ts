import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteConnection } from './sqlite-connection.ts';

/** Longer than a thread takes to start and to open the file. */
const HELD_MS = 500;

let folder: string;

beforeEach(async () => (folder = await mkdtemp(path.join(os.tmpdir(), 'armature-sqlite-'))));
afterEach(() => rm(folder, { recursive: true }));

it('opening a new file waits until another program has finished writing it', async () => {
  const file = path.join(folder, 'new.sqlite');
  const other = new DatabaseSync(file);
  other.exec('CREATE TABLE numbers (number INTEGER); BEGIN IMMEDIATE');
  setTimeout(() => {
    other.exec('COMMIT');
    other.close();
  }, HELD_MS);

  const connection = await SqliteConnection.open({ file, isReadOnly: false }, () => undefined);
  expect((await connection.run('PRAGMA journal_mode', [])).rows).toEqual([{ journal_mode: 'wal' }]);
  await connection.close();
});
