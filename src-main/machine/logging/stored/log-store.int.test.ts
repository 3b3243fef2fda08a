import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../../base/clock.ts';
import type { LogEntry } from '../log-entry.ts';
import type { LogFilter } from '../log-filter.ts';
import { LogRegistry } from '../log-registry.ts';
import { all, entry, filled, never, range, seqs, StoreBench } from '../testing/store-bench.ts';
import { defaultLogStoreLimits } from './log-protocol.ts';
import { logFolder, openLogStore } from './log-store.ts';

const bench = new StoreBench();
beforeEach(() => bench.begin());
afterEach(() => bench.end());

describe('the stored log', () => {
  it('gives back every entry as it was logged, newest page first', async () => {
    const store = bench.opened();
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
      const store = bench.opened();
      expect(store.nextSeq).toBe(1 + 10 * run);
      await filled(store, 10);
      await bench.close(store);
    }
    expect(seqs(await all(bench.opened(), {}, 7))).toEqual(range(1, 30));
  });

  it('is for its owner alone', async () => {
    const store = bench.opened();
    await filled(store, 200);
    for (const file of readdirSync(bench.folder)) {
      expect([file, statSync(path.join(bench.folder, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    expect(statSync(bench.folder).mode & 0o777).toBe(0o700);
  });

  it('beyond its size the oldest lines go, which is said once', async () => {
    const store = bench.opened({ ...defaultLogStoreLimits, maxBytes: 1024 * 1024 });
    for (let seq = 1; seq <= 20_000; seq++) {
      store.write(entry(seq, { message: `line ${seq} ${'x'.repeat(200)}` }));
      if (seq % 500 === 0) await store.drained();
    }
    const kept = seqs(await all(store, {}, 1_000));
    expect(kept.length).toBeGreaterThan(2_000);
    expect(kept.length).toBeLessThan(5_000);
    expect(kept).toEqual(range(20_001 - kept.length, 20_000));
    expect(bench.told).toEqual([expect.stringMatching(/reached 1 MiB.*before they are 30 days old/)]);
    await bench.close(store);
    expect(statSync(path.join(bench.folder, 'log.db')).size).toBeLessThan(1.6 * 1024 * 1024);
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
    const store = bench.opened();
    const special: Record<number, Partial<LogEntry>> = {
      100: { level: 'warn' },
      150: { logger: 'core.web' },
      200: { level: 'warn' },
      222: { fields: { rpm: 60 } },
      250: { resource: 'core:component:motor/right' },
      300: { level: 'error' },
    };
    await filled(store, 300, (seq) => entry(seq, special[seq]));
    expect(seqs(await all(store, filter))).toEqual(expected);
    expect(seqs(await all(store, filter, 1))).toEqual(expected);
  });

  it('is read forward from a number on, by level, and says how much is behind', async () => {
    const store = bench.opened();
    await filled(store, 5_000, (seq) => entry(seq, seq % 100 === 0 ? { level: 'error' } : {}));
    const first = await store.after(20, new Set(['info', 'error']), 3);
    expect([seqs(first.entries), first.lastSeq]).toEqual([[21, 22, 23], 23]);
    const found: number[] = [];
    let lastSeq = 0;
    for (let next; next !== lastSeq;) {
      next = lastSeq;
      const logRange = await store.after(lastSeq, new Set(['error']), 7);
      found.push(...seqs(logRange.entries));
      ({ lastSeq } = logRange);
    }
    expect(found).toEqual(Array.from({ length: 50 }, (_, index) => 100 * (index + 1)));
    expect(lastSeq).toBe(5_000);
    expect(await store.charsBehind(5_000)).toBe(0);
    expect(await store.charsBehind(0)).toBeGreaterThan(await store.charsBehind(2_500));
  });

  it('lines longer than what is read at once are read whole, and one that is far too long says what it lacks', async () => {
    const store = bench.opened();
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
    const store = bench.opened();
    for (let seq = 1; seq <= 50; seq++) store.write(entry(seq));
    store.flushSync();
    await store.drained();
    expect(seqs(await all(store))).toEqual(range(1, 50));
  });

  it('belongs to one program at a time; the lock of one that is no more is taken over', async () => {
    const store = bench.opened();
    const second = openLogStore(bench.folder, defaultLogStoreLimits, systemClock, () => undefined);
    expect(second).toEqual({ reason: expect.stringContaining(`in use by process ${process.pid}`) as string });
    await bench.close(store);
    writeFileSync(path.join(bench.folder, 'in-use'), `${process.pid} of-another-start\n`);
    await bench.close(bench.opened());
    writeFileSync(path.join(bench.folder, 'in-use'), '');
    bench.opened();
  });

  it('a home that cannot be written is said, with its name', () => {
    mkdirSync(path.dirname(bench.folder), { recursive: true });
    writeFileSync(bench.folder, 'no folder');
    const store = openLogStore(bench.folder, defaultLogStoreLimits, systemClock, () => undefined);
    expect(store).toEqual({ reason: expect.stringContaining(bench.folder) as string });
  });

  it('a page that takes long is answered in parts', async () => {
    const store = bench.opened();
    await filled(store, 8_000, (seq) => entry(seq, { message: 'z'.repeat(400) }));
    await bench.close(store);
    let now = 0;
    const monotonic = (): number => (now += 200);
    const slow = bench.opened(defaultLogStoreLimits, { ...systemClock, monotonic });
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
    const earlier = bench.opened();
    await filled(earlier, 30);
    await bench.close(earlier);
    const store = bench.opened();
    const { nextSeq: firstSeq } = store;
    const clock = new ManualClock();
    const logs = new LogRegistry({ clock, isDebugFlagSet: true, historyCapacity: 20, store, firstSeq });
    for (let index = 0; index < 50; index++) logs.logger('core.x').info(`new ${index}`);
    const found: number[] = [];
    let before: number | undefined;
    do {
      const page = await logs.reader.query({}, 7, before, never);
      found.unshift(...seqs(page.entries));
      before = page.olderBeforeSeq;
    } while (before !== undefined);
    expect(found).toEqual(range(1, 80));
  });

  it('masks secrets before anything is stored', async () => {
    const store = bench.opened();
    const { nextSeq: firstSeq } = store;
    const clock = new ManualClock();
    const logs = new LogRegistry({ clock, isDebugFlagSet: false, historyCapacity: 20, store, firstSeq });
    logs.logger('core.x').info('signed in', { api_key: 'hunter2', nested: { password: 'hunter2' } });
    await store.drained();
    const text = readdirSync(bench.folder)
      .map((name) => readFileSync(path.join(bench.folder, name), 'utf8'))
      .join('');
    expect(text).toContain('signed in');
    expect(text).not.toContain('hunter2');
  });
});
