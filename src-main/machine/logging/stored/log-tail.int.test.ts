import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { all, entry, filled, range, seqs, StoreBench } from '../testing/store-bench.ts';
import { defaultLogStoreLimits } from './log-protocol.ts';
import { TAIL_FILE } from './log-tail.ts';

const bench = new StoreBench();
beforeEach(() => bench.begin());
afterEach(() => bench.end());

const tail = (): string => path.join(bench.folder, TAIL_FILE);
const hasDatabase = (): boolean => existsSync(path.join(bench.folder, 'log.db'));

describe('the newest lines of the stored log', () => {
  it('are in a file until somebody asks for lines, over starts too, and in the database from then on', async () => {
    for (let run = 0; run < 3; run++) {
      const store = bench.opened();
      expect(store.nextSeq).toBe(1 + 10 * run);
      await filled(store, 10);
      await bench.close(store);
    }
    expect([hasDatabase(), existsSync(tail())]).toEqual([false, true]);
    expect(statSync(tail()).mode & 0o777).toBe(0o600);
    const store = bench.opened();
    expect(seqs(await all(store))).toEqual(range(1, 30));
    await filled(store, 10);
    expect([hasDatabase(), existsSync(tail())]).toEqual([true, false]);
    expect(seqs(await all(store))).toEqual(range(1, 40));
  });

  it('are read on from a number without the database', async () => {
    const every = new Set(['info'] as const);
    const first = bench.opened();
    await filled(first, 10);
    await bench.close(first);
    const store = bench.opened();
    await filled(store, 10);
    const logRange = await store.after(4, every, 3);
    expect([seqs(logRange.entries), logRange.lastSeq]).toEqual([[5, 6, 7], 7]);
    expect(await store.after(20, every, 3)).toEqual({ entries: [], lastSeq: 20 });
    expect(await store.after(0, new Set(['error']), 30)).toEqual({ entries: [], lastSeq: 20 });
    expect(await store.charsBehind(0)).toBe(0);
    expect(hasDatabase()).toBe(false);
    await all(store);
    await bench.close(store);
    // Lines in the database are not in the tail.
    const again = bench.opened();
    await filled(again, 10);
    expect(seqs((await again.after(15, every, 100)).entries)).toEqual(range(16, 30));
    expect(hasDatabase()).toBe(true);
  });

  it('go into the database where they have become many', async () => {
    const store = bench.opened({ ...defaultLogStoreLimits, tailBytes: 4_000 });
    await filled(store, 100);
    expect([hasDatabase(), existsSync(tail())]).toEqual([true, false]);
    expect(seqs(await all(store))).toEqual(range(1, 100));
  });

  it('are whole after one of which a kill left a part', async () => {
    const store = bench.opened();
    await filled(store, 3);
    await bench.close(store);
    appendFileSync(tail(), readFileSync(tail(), 'utf8').slice(0, 30));
    const again = bench.opened();
    await filled(again, 3);
    expect(seqs(await all(again))).toEqual(range(1, 6));
  });

  it('have the last words of a program, on the disk when it ends', async () => {
    const store = bench.opened();
    store.write(entry(1));
    store.write(entry(2, { message: 'it is all over' }));
    store.flushSync();
    expect(readFileSync(tail(), 'utf8')).toContain('it is all over');
    expect(seqs(await all(store))).toEqual([1, 2]);
  });

  it('are each there once, whenever somebody asks while they are written', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('write', 'write', 'write', 'drain', 'read', 'restart'), { maxLength: 25 }),
        fc.constantFrom(0, 500, 5_000),
        async (steps, tailBytes) => {
          await bench.end();
          bench.begin();
          const limits = { ...defaultLogStoreLimits, tailBytes };
          let store = bench.opened(limits);
          let last = 0;
          const reads: Promise<unknown>[] = [];
          for (const step of steps) {
            if (step === 'write') store.write(entry(++last));
            else if (step === 'drain') await store.drained();
            else if (step === 'read') reads.push(all(store));
            else {
              await Promise.all(reads.splice(0));
              await bench.close(store);
              store = bench.opened(limits);
            }
          }
          await Promise.all(reads);
          await store.drained();
          expect(seqs(await all(store))).toEqual(range(1, last));
        },
      ),
      { numRuns: 25 },
    );
  });
});
