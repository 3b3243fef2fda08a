import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { CLAIM_SIZE } from './sequence-numbers.ts';
import { defaultLogStoreLimits } from './log-protocol.ts';
import { openLogStore, type LogStore } from './log-store.ts';

let folder: string;
let store: LogStore | undefined;
let told: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'armature-earlier-'));
  told = [];
});

afterEach(async () => {
  await store?.close();
  store = undefined;
  rmSync(folder, { recursive: true });
});

function opened(): LogStore {
  const found = openLogStore(folder, defaultLogStoreLimits, systemClock, (message) => told.push(message));
  if ('reason' in found) throw new Error(found.reason);
  store = found;
  return found;
}

/** A file as an earlier version left it. */
function leave(from: number, to: number, rest = ''): string {
  let text = '';
  for (let seq = from; seq <= to; seq++) {
    text += `{"seq":${seq},"time":${1_000 * seq},"level":"info","logger":"core.x","message":"line ${seq}"}\n`;
  }
  const file = path.join(folder, `log-${String(from).padStart(16, '0')}.jsonl`);
  writeFileSync(file, text + rest);
  return file;
}

/** All numbers in order. Reading forward waits for the import. */
async function numbers(of: LogStore): Promise<number[]> {
  const found: number[] = [];
  let lastSeq = 0;
  for (let from = -1; from !== lastSeq;) {
    from = lastSeq;
    const logRange = await of.after(from, new Set(['info']), 500);
    found.push(...logRange.entries.map(({ seq }) => seq));
    ({ lastSeq } = logRange);
  }
  return found;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const line = (seq: number): Parameters<LogStore['write']>[0] => ({
  seq,
  time: 1_000 * seq,
  level: 'info',
  logger: 'core.x',
  message: `line ${seq}`,
  fields: {},
  resource: undefined,
  caller: undefined,
  repeatCount: 1,
  firstTime: undefined,
});

it('what an earlier version logged is read in, and its files go', async () => {
  leave(1, 3_000);
  leave(3_001, 8_000, '{"end":8000}\n');
  const log = opened();
  expect(log.nextSeq).toBe(8_001);
  log.write(line(8_001));
  await log.drained();
  expect(await numbers(log)).toEqual(range(1, 8_001));
  expect(readdirSync(folder).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
  await log.close();
  expect(opened().nextSeq).toBe(8_002);
  expect(told).toEqual([]);
});

it('after a run of it that was killed no number is used twice; torn, empty and strange lines are passed over', async () => {
  leave(1, 20, `\n\nnoise\n${'\0'.repeat(600_000)}\n{"seq":2\n`);
  leave(21, 40, `{"seq":99999,"time":17000`);
  const log = opened();
  expect(log.nextSeq).toBe(40 + CLAIM_SIZE);
  expect(await numbers(log)).toEqual(range(1, 40));
});

it('an end in the middle costs nothing: the next start goes on', async () => {
  leave(1, 20_000);
  leave(20_001, 40_000, '{"end":40000}\n');
  const log = opened();
  log.write(line(40_001));
  await log.drained();
  await log.close();
  expect(await numbers(opened())).toEqual(range(1, 40_001));
});

it('a page says while it lacks what is being read in', async () => {
  leave(1, 40_000, '{"end":40000}\n');
  const log = opened();
  const page = await log.query({}, 10, Infinity, new AbortController().signal);
  expect(page.unreadable).toEqual([expect.stringContaining('still being read in')]);
  await numbers(log);
  const whole = await log.query({}, 10, Infinity, new AbortController().signal);
  expect([whole.unreadable, whole.entries.at(-1)?.seq]).toEqual([[], 40_000]);
});

it('a file that cannot be read is named and stays, and the others are read in', async () => {
  leave(1, 20);
  const broken = path.join(folder, 'log-0000000000000021.jsonl');
  mkdirSync(broken);
  leave(41, 60, '{"end":60}\n');
  expect(await numbers(opened())).toEqual([...range(1, 20), ...range(41, 60)]);
  expect(told).toEqual([expect.stringContaining(broken)]);
  expect(existsSync(broken)).toBe(true);
});
