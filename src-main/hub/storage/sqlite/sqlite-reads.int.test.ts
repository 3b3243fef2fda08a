import { mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteReads } from './sqlite-reads.ts';

/** Takes some tenths of a second. */
const slow = `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2000000)
  SELECT max(n) AS last FROM count`;

let folder: string;
let file: string;
let writer: SqliteConnection;
let reads: SqliteReads;
let opened: number;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-reads-'));
  file = path.join(folder, 'store.sqlite');
  writer = await SqliteConnection.open({ file, isReadOnly: false }, () => undefined);
  opened = 0;
  reads = new SqliteReads(writer, () => {
    opened += 1;
    return SqliteConnection.open({ file, isReadOnly: true }, () => undefined);
  });
  await writer.run('CREATE TABLE numbers (number INTEGER)', []);
});
afterEach(async () => {
  await reads.close();
  await writer.close();
  await rm(folder, { recursive: true });
});

const numbers = async (): Promise<readonly unknown[]> => (await reads.read('SELECT number FROM numbers', [])).rows;

it('see only what is committed, also in the thread of an open transaction', async () => {
  await writer.run('INSERT INTO numbers VALUES (?)', [1], true);
  expect(await numbers()).toEqual([]);
  await writer.run('COMMIT', []);
  expect(await numbers()).toEqual([{ number: 1 }]);
  expect(opened).toBe(0);
});

it('cannot change the database', async () => {
  await expect(reads.read('INSERT INTO numbers VALUES (1)', [])).rejects.toThrow('readonly');
});

it('move to a thread of their own after a long one: then a write does not wait for a read', async () => {
  await reads.read(slow, []);
  await expect.poll(() => opened).toBe(1);
  // The thread is in use as soon as it is open; until then a read is answered by the other one.
  const order: string[] = [];
  await expect
    .poll(
      async () => {
        order.length = 0;
        const read = reads.read(slow, []).then(() => order.push('read'));
        await writer.run('INSERT INTO numbers VALUES (2)', []).then(() => order.push('write'));
        await read;
        return order;
      },
      { timeout: 10_000 },
    )
    .toEqual(['write', 'read']);
  expect((await numbers()).length).toBeGreaterThan(0);
  expect(opened).toBe(1);
});

it('stay where they are if no thread can be opened, and try again', async () => {
  await reads.close();
  let attempts = 0;
  reads = new SqliteReads(writer, () => {
    attempts += 1;
    return Promise.reject(new Error('no thread'));
  });
  await reads.read(slow, []);
  expect(await numbers()).toEqual([]);
  await reads.read(slow, []);
  expect(attempts).toBe(2);
});

it('do not create the file again if it is gone when their thread opens it', async () => {
  await rename(file, `${file}-moved`);
  await expect(SqliteConnection.open({ file, isReadOnly: true }, () => undefined)).rejects.toThrow('unable to open');
  await rename(`${file}-moved`, file);
});
