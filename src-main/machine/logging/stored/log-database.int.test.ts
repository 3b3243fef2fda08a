import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '../log-entry.ts';
import { LogDatabase } from './log-database.ts';
import { defaultLogStoreLimits } from './log-protocol.ts';
import { readRange, searchLog } from './log-search.ts';
import { toStoredLine } from './stored-line.ts';

const DAY = 86_400_000;
let folder: string;
let file: string;
let database: LogDatabase | undefined;
let wall: number;
let monotonic: number;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'armature-log-db-'));
  file = path.join(folder, 'log.db');
  [wall, monotonic] = [1_700_000_000_000, 0];
});

afterEach(() => {
  database?.close();
  database = undefined;
  rmSync(folder, { recursive: true });
});

/** Starts a run of the program; its monotonic clock differs from that of the previous run. */
function begin(): LogDatabase {
  database?.close();
  monotonic = 5_000 * wall;
  database = new LogDatabase(file, defaultLogStoreLimits, { now: () => wall, monotonic: () => monotonic });
  return database;
}

function pass(ms: number): void {
  wall += ms;
  monotonic += ms;
}

function line(seq: number, overrides: Partial<LogEntry> = {}): string {
  const rest = { fields: {}, resource: undefined, caller: undefined, repeatCount: 1, firstTime: undefined };
  return toStoredLine({
    seq,
    time: wall,
    level: 'info',
    logger: 'core.x',
    message: `line ${seq}`,
    ...rest,
    ...overrides,
  });
}

function kept(filter = {}): number[] {
  if (database === undefined) throw new Error('no database');
  const found: number[] = [];
  for (let before = Infinity, isEnd = false; !isEnd;) {
    const ask = { filter, limit: 1_000_000, maxChars: Infinity, beforeSeq: before };
    const piece = searchLog(database.sqlite, file, ask);
    found.unshift(...piece.entries.map(({ seq }) => seq).reverse());
    ({ beforeSeq: before, isEnd } = piece);
  }
  return found;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('how long lines are kept', () => {
  it('30 days, by what the log has gone on for', () => {
    const log = begin();
    for (let day = 1; day <= 40; day++) {
      expect(log.insert(line(day))).toBe(false);
      pass(DAY);
    }
    expect(kept()).toEqual(range(11, 40));
  });

  it('a clock that is set, forward or back, within a run or between two, loses nothing', () => {
    begin().insert(line(1));
    wall += 5_000 * DAY;
    database?.insert(line(2));
    pass(DAY);
    begin().insert(line(3));
    wall -= 9_000 * DAY;
    database?.insert(line(4));
    pass(DAY);
    begin().insert(line(5));
    wall += 9_000 * DAY;
    // The time between two runs counts for a day at most.
    begin().insert(line(6));
    pass(DAY);
    database?.insert(line(7));
    expect(kept()).toEqual(range(1, 7));
    expect(kept({ startMs: wall - DAY / 2 })).toEqual([7]);
  });

  it('the age of the log goes on over runs', () => {
    for (let day = 1; day <= 40; day++) {
      begin().insert(line(day));
      pass(DAY / 2);
      wall += DAY / 2;
    }
    begin();
    const first = kept()[0] ?? 0;
    expect(first).toBeGreaterThanOrEqual(9);
    expect(first).toBeLessThanOrEqual(11);
  });
});

describe('the table of contents', () => {
  it('lines that come in any order, twice, and from an earlier version are each found once', () => {
    const log = begin();
    const batch = (from: number, to: number): string =>
      range(from, to)
        .map((seq) => line(seq))
        .join('');
    log.insert(batch(1_000_001, 1_002_500));
    log.insert(batch(5_000, 7_500));
    log.insert(batch(2_000, 4_999));
    log.insert(batch(6_000, 8_000));
    log.insert(batch(1_002_400, 1_002_600));
    log.insert(`${batch(8_500, 8_400)}${line(8_600)}${line(8_200)}`);
    const all = [...range(2_000, 8_000), 8_200, 8_600, ...range(1_000_001, 1_002_600)];
    expect(kept()).toEqual(all);
    expect(kept({ startMs: wall, endMs: wall + 1 })).toEqual(all);
    expect(kept({ text: 'LINE 7999' })).toEqual([7_999]);
    let lastSeq = 0;
    const forward: number[] = [];
    for (let from = -1; from !== lastSeq;) {
      from = lastSeq;
      const logRange = readRange(log.sqlite, { afterSeq: from, levels: new Set(['info']), most: 500 });
      forward.push(...logRange.entries.map(({ seq }) => seq));
      ({ lastSeq } = logRange);
    }
    expect(forward).toEqual(all);
  });

  it('letters of any language, signs of patterns and any character are found as they are', () => {
    const log = begin();
    const messages = ['ÄRGER mit 100%', 'under_score', 'wow!', 'a\u0000b', 'line "quoted"'];
    log.insert(messages.map((message, index) => line(index + 1, { message })).join(''));
    expect(kept({ text: 'ärger' })).toEqual([1]);
    expect(kept({ text: '0%' })).toEqual([1]);
    expect(kept({ text: 'R_S' })).toEqual([2]);
    expect(kept({ text: '!' })).toEqual([3]);
    expect(kept({ text: '"QUOTED"' })).toEqual([5]);
    const { entries } = readRange(log.sqlite, { afterSeq: 0, levels: new Set(['info']), most: 10 });
    expect(entries.map(({ message }) => message)).toEqual(messages);
  });
});
