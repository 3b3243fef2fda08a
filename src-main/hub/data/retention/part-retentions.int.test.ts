import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { Value } from '../../../../proto/gen/google/protobuf/struct.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { ManualClock } from '../../../base/clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { camera, DataBench, picture, reading } from '../testing/data-bench.ts';
import { DataSweeper } from './data-keeper.ts';

const START = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(testStores)('data of parts whose configuration says how long it is kept, on $name', (kind) => {
  let clock: ManualClock;
  let bench: DataBench;

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DataBench.open(kind, clock);
  });

  afterEach(() => bench.test.end());

  const configure = (components: readonly object[]): Promise<unknown> =>
    bench.owner('updateRobotPart', {
      id: bench.partId,
      name: 'main',
      robotConfigJson: JSON.stringify({ components }),
    });
  const captured = (name: string, api: string, ...methods: readonly object[]): object => ({
    ...{ name, api, model: 'fake' },
    service_configs: [{ type: 'data_manager', attributes: { capture_methods: methods } }],
  });
  const sensor = (retention_policy: unknown): object =>
    captured('temperature', 'rdk:component:sensor', { method: 'Readings', retention_policy });
  /** Runs a sweep at a time after the start. @returns how many rows were deleted */
  const sweep = async (afterMs: number): Promise<number> => {
    const { store, data } = bench.test.hub.parts;
    const age = (): number => START + afterMs;
    const sweeper = new DataSweeper({ store, blobs: data.blobs, clock, age, logger: silentLogger });
    const count = await sweeper.sweep();
    await sweeper.close();
    return count;
  };
  const analog = (reader: string): Partial<UploadMetadata> => {
    const value = {
      typeUrl: 'type.googleapis.com/google.protobuf.Value',
      value: encodeMessage(Value, Value.wrap(reader)),
    };
    const componentType = 'core:component:board';
    return { componentType, componentName: 'b', methodName: 'Analogs', methodParameters: { reader_name: value } };
  };

  it('is deleted after its days, and nothing else is', async () => {
    await configure([sensor({ days: 3 })]);
    await bench.upload([reading(START, { a: 1 }), reading(START, { a: 2 })]);
    await bench.upload([reading(START, { a: 3 })], { componentName: 'humidity' });
    await bench.upload([reading(START, { a: 4 })], { methodName: 'DoCommand' });
    expect(await sweep(3 * DAY_MS)).toBe(0);
    expect(await sweep(3 * DAY_MS + 1)).toBe(2);
    expect(await bench.export()).toEqual([]);
    expect(await bench.export({ resourceName: 'humidity' })).toHaveLength(1);
    expect(await bench.export({ methodName: 'DoCommand' })).toHaveLength(1);
  });

  it('is selected by the parameters of the method too', async () => {
    const method = { method: 'Analogs', additional_params: { reader_name: 'a1' }, retention_policy: { days: 1 } };
    await configure([captured('b', 'core:component:board', method)]);
    await bench.upload([reading(START, { a: 1 })], analog('a1'));
    await bench.upload([reading(START, { a: 1 })], analog('a2'));
    expect(await sweep(2 * DAY_MS)).toBe(1);
    const kept = await bench.export({ resourceName: 'b', methodName: 'Analogs' });
    expect(kept.map(({ methodParameters }) => methodParameters)).toEqual([
      { reader_name: expect.anything() as unknown },
    ]);
  });

  it('is deleted by the current configuration, and kept if its policy is not valid', async () => {
    await bench.upload([reading(START, { a: 1 })]);
    for (const policy of [undefined, { days: '3' }, { days: 0 }, { days: 3, dayz: 1 }, 3, { days: 3.5 }]) {
      await configure([sensor(policy)]);
      expect(await sweep(100 * DAY_MS), JSON.stringify(policy)).toBe(0);
    }
    await configure([sensor({ days: 30 })]);
    expect(await sweep(20 * DAY_MS)).toBe(0);
    await configure([sensor({ days: 10 })]);
    expect(await sweep(20 * DAY_MS)).toBe(1);
  });

  it('is deleted above the size limit, the oldest first', async () => {
    const bytes = Buffer.byteLength(JSON.stringify({ readings: { a: 0 } }));
    await configure([sensor({ tabular_limit_gb: (4 * bytes) / 1e9 })]);
    // The different tags make three captures.
    for (let a = 0; a < 9; a++) {
      clock.advance(1_000);
      await bench.upload([reading(START, { a })], { tags: [`tag ${a % 3}`] });
    }
    await bench.upload([reading(START, { a: 0 })], { componentName: 'humidity' });
    expect(await sweep(10_000)).toBe(5);
    const kept = await bench.export();
    expect(new Set(kept.map(({ payload }) => payload))).toEqual(
      new Set([5, 6, 7, 8].map((a) => ({ readings: { a } }))),
    );
    expect(await sweep(10_000)).toBe(0);
  });

  it('is deleted above the size limit within one large upload', async () => {
    const bytes = Buffer.byteLength(JSON.stringify({ readings: { a: 0 } }));
    await configure([sensor({ tabular_limit_gb: bytes / 1e9 })]);
    await bench.upload(Array.from({ length: 4_500 }, () => reading(START, { a: 0 })));
    await bench.upload([reading(START, { a: 1 })]);
    expect(await sweep(1)).toBe(4_500);
  });

  it('has a size limit for pictures separate from readings', async () => {
    const method = { method: 'ReadImage', retention_policy: { binary_limit_gb: 2_500 / 1e9 } };
    await configure([captured('front', 'core:component:camera', method)]);
    for (let at = 0; at < 4; at++) {
      clock.advance(1_000);
      await bench.upload([picture(START + at, randomBytes(1_000))], camera);
    }
    expect(await sweep(10_000)).toBe(2);
    const { db } = bench.test.hub.parts.store;
    const left = await db.selectFrom('binary_data').select('received_at').orderBy('received_at').execute();
    expect(left.map(({ received_at }) => received_at)).toEqual([START + 2, START + 3]);
  });
});
