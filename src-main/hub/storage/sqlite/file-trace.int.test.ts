import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileTrace } from './file-trace.ts';

const SETTLED_MS = 50;

describe('the trace of a database', () => {
  let folder: string;
  let file: string;
  let mine: DatabaseSync;
  let other: DatabaseSync;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'armature-trace-'));
    file = path.join(folder, 'hub.sqlite');
    mine = new DatabaseSync(file);
    mine.exec('PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER)');
    other = new DatabaseSync(file);
  });

  afterEach(() => {
    mine.close();
    other.close();
    rmSync(folder, { recursive: true });
  });

  const settled = (): Promise<string> =>
    vi.waitUntil(() => fileTrace(file, SETTLED_MS), { timeout: 5_000, interval: 5 });

  it('does not change while nothing is stored, whoever reads', async () => {
    const before = await settled();
    mine.prepare('SELECT * FROM numbers').all();
    other.prepare('SELECT * FROM numbers').all();
    expect(fileTrace(file, SETTLED_MS)).toBe(before);
  });

  it.each([
    ['stored by somebody else', () => other.exec('INSERT INTO numbers VALUES (1)')],
    ['stored here', () => mine.exec('INSERT INTO numbers VALUES (1)')],
    [
      'stored over the log of before',
      () => other.exec('PRAGMA wal_checkpoint(RESTART); INSERT INTO numbers VALUES (1)'),
    ],
  ])('is undefined right after something was %s, and then differs', async (_, change) => {
    mine.exec('INSERT INTO numbers VALUES (0)');
    const before = await settled();
    change();
    expect(fileTrace(file)).toBeUndefined();
    expect(await settled()).not.toBe(before);
  });

  it('is undefined for a missing file', () => {
    expect(fileTrace(path.join(folder, 'other.sqlite'))).toBeUndefined();
  });
});
