import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { all, entry, filled, range, search, seqs, StoreBench } from '../testing/store-bench.ts';
import { CLAIM_SIZE } from './sequence-numbers.ts';
import { defaultLogStoreLimits } from './log-protocol.ts';

const databaseAtOnce = { ...defaultLogStoreLimits, tailBytes: 0 };
const bench = new StoreBench();
beforeEach(() => bench.begin());
afterEach(() => bench.end());

describe('the stored log outlives', () => {
  it.each([
    ['before its database was needed', 300],
    ['in the middle of writing', 3_000],
  ])(
    'a kill %s, which costs nothing that was stored, and the next run reads on and uses no number twice',
    async (_when, lines) => {
      const child = spawn(
        process.execPath,
        [path.join(import.meta.dirname, '../testing/endless-log.ts'), bench.folder],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      let stored = 0;
      for await (const line of createInterface({ input: child.stdout })) {
        stored = Number(line);
        if (stored > lines) break;
      }
      child.kill('SIGKILL');
      await once(child, 'close');
      const store = bench.opened();
      expect(store.nextSeq).toBe(1 + CLAIM_SIZE);
      await filled(store, 5);
      const kept = seqs(await all(store, {}, 1_000));
      expect(kept.slice(-5)).toEqual(range(store.nextSeq, store.nextSeq + 4));
      const earlier = kept.slice(0, -5);
      expect(earlier).toEqual(range(1, earlier.at(-1) ?? 0));
      expect(earlier.at(-1)).toBeGreaterThanOrEqual(stored);
    },
  );

  it('a damaged place is named and passed over, by pages and by who reads on', async () => {
    const store = bench.opened();
    await filled(store, 20_000, (seq) => entry(seq, { message: `line ${seq} ${'x'.repeat(100)}` }));
    await bench.close(store);
    const file = path.join(bench.folder, 'log.db');
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(5 * 4_096, 0xff), 0, 5 * 4_096, Math.floor(statSync(file).size / 8_192) * 4_096);
    closeSync(descriptor);
    const again = bench.opened();
    const { entries, unreadable } = await search(again, {}, 5_000);
    const kept = seqs(entries);
    expect([...unreadable]).toContainEqual(expect.stringContaining(file));
    expect([kept[0], kept.at(-1)]).toEqual([1, 20_000]);
    expect(kept.length).toBeGreaterThan(15_000);
    expect(kept.length).toBeLessThan(20_000);
    let lastSeq = 0;
    for (let next; next !== lastSeq;) {
      next = lastSeq;
      ({ lastSeq } = await again.after(lastSeq, new Set(['info']), 500));
    }
    expect(lastSeq).toBe(20_000);
  });

  it.each<[string, (file: string) => void]>([
    ['no database', (file) => writeFileSync(file, 'no database '.repeat(1_000))],
    ['empty', (file) => writeFileSync(file, '')],
  ])('a file that is %s costs no number and stops nothing', async (title, damage) => {
    const store = bench.opened(databaseAtOnce);
    await filled(store, 30);
    const { id } = store;
    await bench.close(store);
    damage(path.join(bench.folder, 'log.db'));
    const again = bench.opened();
    expect([again.nextSeq, again.id]).toEqual([31, id]);
    await filled(again, 5);
    expect(seqs(await all(again))).toEqual(range(31, 35));
    if (title === 'empty') return;
    expect(bench.told).toEqual([expect.stringMatching(/is damaged.*renamed to .*log-damaged-1\.db/)]);
    expect(readFileSync(path.join(bench.folder, 'log-damaged-1.db'), 'utf8')).toContain('no database');
  });

  it('numbers go on where nobody knows them any more', async () => {
    const store = bench.opened();
    await filled(store, 30);
    await bench.close(store);
    rmSync(path.join(bench.folder, 'numbers'));
    expect(bench.opened().nextSeq).toBeGreaterThan(30);
  });
});
