import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import type { LogEntry } from './log-entry.ts';
import { defaultLogFileLimits, type LogFileLimits } from './log-file.ts';
import type { LogFilter, LogPage } from './log-filter.ts';
import { LogRegistry } from './log-registry.ts';
import { UNCLEAN_GAP } from './log-segments.ts';
import type { LogStore } from './log-store.ts';
import { logFolder, openLogStore } from './log-store.ts';

let folder: string;
let open: LogStore[];

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'armature-store-')), 'logs', 'bench');
  open = [];
});

afterEach(async () => {
  for (const store of open) await store.close();
  rmSync(path.join(folder, '../..'), { recursive: true });
});

const never = new AbortController().signal;

function opened(limits: LogFileLimits = defaultLogFileLimits): LogStore {
  const store = openLogStore(folder, limits, systemClock, (message) => {
    throw new Error(message);
  });
  if ('reason' in store) throw new Error(store.reason);
  open.push(store);
  return store;
}

async function close(store: LogStore): Promise<void> {
  open = open.filter((other) => other !== store);
  await store.close();
}

function entry(seq: number, overrides: Partial<LogEntry> = {}): LogEntry {
  return {
    seq,
    time: 1_000_000 + 1_000 * seq,
    level: 'info',
    logger: 'core.component.motor.left',
    message: `line ${seq}`,
    fields: {},
    resource: undefined,
    caller: undefined,
    repeatCount: 1,
    firstTime: undefined,
    ...overrides,
  };
}

async function filled(store: LogStore, count: number, of = entry): Promise<void> {
  for (let index = 0; index < count; index++) {
    store.write(of(store.nextSeq + index));
    if (index % 20 === 19) await store.drained();
  }
  await store.drained();
}

/** Everything that matches, page by page, oldest first. */
async function all(store: LogStore, filter: LogFilter = {}, limit = 100): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  let page: LogPage = await store.query(filter, limit, Infinity, never);
  for (;;) {
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    entries.unshift(...page.entries);
    if (page.olderBeforeSeq === undefined) return entries;
    page = await store.query(filter, limit, page.olderBeforeSeq, never);
  }
}

const seqs = (entries: readonly LogEntry[]): number[] => entries.map(({ seq }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('the stored log', () => {
  it('gives back every entry as it was logged, newest page first', async () => {
    const store = opened();
    const written = [
      entry(1, { fields: { rpm: 60, 'a "b"': ['x', null, { y: 1 }] }, resource: 'core:component:motor/left' }),
      entry(2, { level: 'error', caller: 'motor.ts:7', message: 'two\nlines, "quoted" \u0007 · 🤖' }),
      entry(3, { repeatCount: 7, firstTime: 1_000_500 }),
    ];
    for (const one of written) store.write(one);
    await store.drained();
    expect(await all(store, {}, 2)).toEqual(written);
  });

  it('goes on over starts with the next number, and pages back over them', async () => {
    for (let run = 0; run < 3; run++) {
      const store = opened();
      expect(store.nextSeq).toBe(1 + 10 * run);
      await filled(store, 10);
      await close(store);
    }
    expect(seqs(await all(opened(), {}, 7))).toEqual(range(1, 30));
  });

  it('is rotated by size, lets the oldest file go, and is read over all of them', async () => {
    const store = opened({ maxBytes: 2_000, files: 3 });
    await filled(store, 200);
    const files = readdirSync(folder).filter((name) => name.startsWith('log-'));
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { size, mode } = statSync(path.join(folder, file));
      expect(size).toBeLessThanOrEqual(2_000);
      expect(mode & 0o777).toBe(0o600);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const kept = seqs(await all(store, {}, 9));
    expect(kept.length).toBeGreaterThan(30);
    expect(kept).toEqual(range(201 - kept.length, 200));
  });

  it.each<[string, LogFilter, number[]]>([
    ['level', { levels: ['warn', 'error'] }, [100, 200, 300]],
    ['logger, in any case', { logger: 'WEB' }, [150]],
    ['resource', { resource: 'core:component:motor/right' }, [250]],
    ['text of the message, in any case', { text: 'LINE 77' }, [77]],
    ['text of the fields', { text: '"rpm":60' }, [222]],
    ['time', { startMs: 1_000_000 + 1_000 * 298, endMs: 1_000_000 + 1_000 * 300 }, [298, 299]],
    ['sequence', { afterSeq: 3, beforeSeq: 6 }, [4, 5]],
    ['several at once', { levels: ['warn'], afterSeq: 100 }, [200]],
    ['what nothing is', { text: 'nothing like it' }, []],
  ])('is filtered by %s', async (_title, filter, expected) => {
    const store = opened({ maxBytes: 4_000, files: 20 });
    const special: Record<number, Partial<LogEntry>> = {
      100: { level: 'warn' },
      150: { logger: 'core.web' },
      200: { level: 'warn' },
      222: { fields: { rpm: 60 } },
      250: { resource: 'core:component:motor/right' },
      300: { level: 'error' },
    };
    await filled(store, 300, (seq) => entry(seq, special[seq]));
    // Twice: the second time what was learned of each file's times is used.
    expect(seqs(await all(store, filter))).toEqual(expected);
    expect(seqs(await all(store, filter, 1))).toEqual(expected);
  });

  it('a kill in the middle of writing costs what was not written, and the next run reads on and uses no number twice', async () => {
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'endless-log.fixture.ts'), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stored = 0;
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      stored = Number(line);
      if (stored > 3_000) break;
    }
    child.kill('SIGKILL');
    await once(child, 'close');
    const newest =
      readdirSync(folder)
        .filter((name) => name.startsWith('log-'))
        .sort()
        .at(-1) ?? '';
    // A kill tears a line where it meets a write half done; here it always does.
    appendFileSync(path.join(folder, newest), '{"seq":99999,"time":17000');
    const store = opened();
    expect(store.nextSeq).toBeGreaterThanOrEqual(stored + UNCLEAN_GAP);
    await filled(store, 5);
    const kept = seqs(await all(store, {}, 1_000));
    expect(kept.slice(-5)).toEqual(range(store.nextSeq, store.nextSeq + 4));
    const earlier = kept.slice(0, -5);
    expect(earlier).toEqual(range(earlier[0] ?? 0, earlier.at(-1) ?? 0));
    expect(earlier.at(-1)).toBeGreaterThanOrEqual(stored);
  });

  it('a file that cannot be read is named and passed over', async () => {
    const store = opened({ maxBytes: 2_000, files: 10 });
    await filled(store, 60);
    const [, second = ''] = readdirSync(folder)
      .filter((name) => name.startsWith('log-'))
      .sort();
    const broken = path.join(folder, second);
    rmSync(broken);
    mkdirSync(broken);
    const page = await store.query({}, 1_000, Infinity, never);
    expect(page.unreadable).toEqual([expect.stringContaining(broken)]);
    expect(page.olderBeforeSeq).toBeUndefined();
    expect(seqs(page.entries)).toContain(1);
    expect(seqs(page.entries)).toContain(60);
    expect(page.entries.length).toBeLessThan(60);
  });

  it('what is no line of ours is passed over, wherever it is', async () => {
    const store = opened();
    await filled(store, 3);
    await close(store);
    const [file = ''] = readdirSync(folder).filter((name) => name.startsWith('log-'));
    const zeros = '\0'.repeat(600_000);
    writeFileSync(
      path.join(folder, file),
      `${zeros}\n{"seq":2\nnoise\n${readFileSync(path.join(folder, file), 'utf8')}`,
    );
    expect(seqs(await all(opened()))).toEqual([1, 2, 3]);
  });

  it('an empty line is passed over, also as the first of a file', async () => {
    const store = opened();
    await filled(store, 3);
    await close(store);
    const [file = ''] = readdirSync(folder).filter((name) => name.startsWith('log-'));
    const text = readFileSync(path.join(folder, file), 'utf8');
    writeFileSync(path.join(folder, file), `\n\n${text.replaceAll('\n', '\n\n')}\n`);
    expect(seqs(await all(opened()))).toEqual([1, 2, 3]);
  });

  it('a file that is begun after a torn line begins with a line', async () => {
    const store = opened({ maxBytes: 600, files: 10 });
    await filled(store, 2);
    await close(store);
    const files = (): string[] => readdirSync(folder).filter((name) => name.startsWith('log-'));
    appendFileSync(path.join(folder, files().at(-1) ?? ''), `{"seq":9,"${'x'.repeat(700)}`);
    const next = opened({ maxBytes: 600, files: 10 });
    await filled(next, 2);
    expect(files().length).toBeGreaterThan(1);
    for (const file of files()) expect(readFileSync(path.join(folder, file), 'utf8')).toMatch(/^\{/);
    expect(seqs(await all(next))).toEqual([1, 2, next.nextSeq, next.nextSeq + 1]);
  });

  it('lines longer than what is read at once are read whole, and one that is far too long says what it lacks', async () => {
    const store = opened();
    store.write(entry(1));
    store.write(entry(2, { message: 'x'.repeat(200_000) }));
    store.write(entry(3, { fields: { a: 'ä'.repeat(200_000) } }));
    store.write(entry(4, { fields: { a: 'y'.repeat(500_000) } }));
    store.write(entry(5));
    await store.drained();
    const entries = await all(store, {}, 1);
    expect(seqs(entries)).toEqual([1, 2, 3, 4, 5]);
    expect(entries[2]?.fields).toEqual({ a: 'ä'.repeat(200_000) });
    expect(entries[3]?.fields).toEqual({ '…': 'fields of 500008 characters are not stored' });
  });

  it('last words that overtake a write are there once', async () => {
    const store = opened();
    for (let seq = 1; seq <= 50; seq++) store.write(entry(seq));
    store.flushSync();
    await store.drained();
    expect(seqs(await all(store))).toEqual(range(1, 50));
  });

  it('belongs to one program at a time; the lock of one that is no more is taken over', async () => {
    const store = opened();
    const second = openLogStore(folder, defaultLogFileLimits, systemClock, () => undefined);
    expect(second).toEqual({ reason: expect.stringContaining(`in use by process ${process.pid}`) as string });
    await close(store);
    writeFileSync(path.join(folder, 'in-use'), `${process.pid} of-another-start\n`);
    await close(opened());
    writeFileSync(path.join(folder, 'in-use'), '');
    opened();
  });

  it('a home that cannot be written is said, with its name', () => {
    mkdirSync(path.dirname(folder), { recursive: true });
    writeFileSync(folder, 'no folder');
    const store = openLogStore(folder, defaultLogFileLimits, systemClock, () => undefined);
    expect(store).toEqual({ reason: expect.stringContaining(folder) as string });
  });

  it('a page that takes long is answered in parts', async () => {
    const store = opened();
    await filled(store, 8_000, (seq) => entry(seq, { message: 'z'.repeat(400) }));
    await close(store);
    let now = 0;
    const monotonic = (): number => (now += 100);
    const slow = openLogStore(folder, defaultLogFileLimits, { ...systemClock, monotonic }, () => undefined);
    if ('reason' in slow) throw new Error(slow.reason);
    open.push(slow);
    const first = await slow.query({ text: 'nowhere' }, 10, Infinity, never);
    expect(first.entries).toEqual([]);
    expect(first.olderBeforeSeq).toBeLessThan(8_000);
    expect(first.searchedTo).toBeGreaterThan(0);
    expect(await all(slow, { text: 'nowhere' })).toEqual([]);
  });

  it('folders of machines that share a home differ by their configuration', () => {
    const [one, other] = [logFolder('/home', '/a/machine.json'), logFolder('/home', '/b/machine.json')];
    expect(one).toMatch(/^\/home\/logs\/machine-[0-9a-f]{8}$/);
    expect(other).not.toBe(one);
  });
});

describe('memory and store together', () => {
  it('are one log: pages go from one into the other without gap or repeat', async () => {
    const earlier = opened();
    await filled(earlier, 30);
    await close(earlier);
    const store = opened({ maxBytes: 2_000, files: 50 });
    const { nextSeq: firstSeq } = store;
    const clock = new ManualClock();
    const logs = new LogRegistry({ clock, isDebugFlagSet: true, historyCapacity: 20, store, firstSeq });
    for (let index = 0; index < 50; index++) logs.logger('core.x').info(`new ${index}`);
    const found: number[] = [];
    let before: number | undefined;
    do {
      const page = await logs.past.query({}, 7, before, never);
      found.unshift(...seqs(page.entries));
      before = page.olderBeforeSeq;
    } while (before !== undefined);
    expect(found).toEqual(range(1, 80));
  });

  it('masks secrets before anything is stored', async () => {
    const store = opened();
    const { nextSeq: firstSeq } = store;
    const clock = new ManualClock();
    const logs = new LogRegistry({ clock, isDebugFlagSet: false, historyCapacity: 20, store, firstSeq });
    logs.logger('core.x').info('signed in', { api_key: 'hunter2', nested: { password: 'hunter2' } });
    await store.drained();
    const text = readdirSync(folder)
      .map((name) => readFileSync(path.join(folder, name), 'utf8'))
      .join('');
    expect(text).toContain('signed in');
    expect(text).not.toContain('hunter2');
  });
});
