import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { openTestStore, testStores } from '../storage/testing/test-stores.ts';
import { TriggerBench } from './testing/trigger-bench.ts';
import { TriggerRecords, WRITE_DELAY_MS, type KeptEvaluation } from './trigger-records.ts';
import type { Store } from '../storage/store.ts';

describe.each(testStores)('evaluations of triggers, on $name', (kind) => {
  let bench: TriggerBench;
  let end: () => Promise<void>;
  let warnings: string[];
  let records: TriggerRecords;

  beforeEach(async () => {
    const opened = await openTestStore(kind);
    end = opened.end;
    bench = await TriggerBench.open(opened.store);
    warnings = [];
    records = openRecords(bench.store);
  });

  afterEach(async () => {
    await records.close();
    await bench.close();
    await end();
  });

  function openRecords(store: Store): TriggerRecords {
    const warn = (message: string): void => void warnings.push(message);
    const logger = { ...silentLogger, warn };
    return new TriggerRecords({ store, clock: bench.clock, logger });
  }

  const evaluationAt = (time: number): KeptEvaluation => ({
    ...{ time, outcome: 'not-fired', reason: 'too low', results: [], reading: '{"a":1}' },
  });
  const came = (time: number, isFired = false, partId = bench.ids.part): void =>
    records.add({ partId, triggerName: 't', isFired, evaluation: () => evaluationAt(time) });
  const known = async (from = records) => {
    const record = (await from.of(bench.ids.part)).get('t');
    return record && [record.evaluated, record.fired, record.evaluations.map(({ time }) => time)];
  };

  it('are known at once, and stored half a second later', async () => {
    came(1, true);
    came(2);
    expect(await known()).toEqual([2, 1, [2, 1]]);
    expect(await known(openRecords(bench.store))).toBeUndefined();
    bench.clock.advance(WRITE_DELAY_MS);
    await records.of(bench.ids.part);
    expect(await known(openRecords(bench.store))).toEqual([2, 1, [2, 1]]);
    for (let time = 3; time <= 15; time++) came(time);
    expect(await known()).toEqual([15, 1, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6]]);
    await records.close();
    expect(await known(openRecords(bench.store))).toEqual([15, 1, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6]]);
  });

  it('are not computed if newer ones replace them', async () => {
    let asked = 0;
    for (let time = 1; time <= 100; time++) {
      const evaluation = (): KeptEvaluation => {
        asked++;
        return evaluationAt(time);
      };
      records.add({ partId: bench.ids.part, triggerName: 't', isFired: false, evaluation });
    }
    await records.close();
    expect(asked).toBe(10);
  });

  it('wait in order while the store cannot be written, with a warning', async () => {
    const broken = { db: bench.store.db, transaction: () => Promise.reject(new Error('disk full')) };
    records = openRecords(broken as unknown as Store);
    came(1);
    bench.clock.advance(WRITE_DELAY_MS);
    expect(await known()).toEqual([1, 0, [1]]);
    came(2, true);
    bench.clock.advance(WRITE_DELAY_MS);
    expect(await known()).toEqual([2, 1, [2, 1]]);
    expect(warnings).toEqual(Array(2).fill('The results of triggers are not stored yet: disk full'));
  });

  it('of a part that was deleted meanwhile are not stored, but those of other parts are', async () => {
    came(1, false, 'gone');
    came(2);
    await records.close();
    expect(warnings).toEqual([]);
    expect(await known(openRecords(bench.store))).toEqual([1, 0, [2]]);
    expect((await records.of('gone')).size).toBe(0);
  });
});
