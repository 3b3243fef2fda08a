import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Order } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataBench, reading } from '../testing/data-bench.ts';
import { wholeFilter } from '../testing/whole-filter.ts';

const { INVALID_ARGUMENT } = StatusCode;
const START = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;

describe.each(testStores)('readings on $name', (kind) => {
  let clock: ManualClock;
  let bench: DataBench;

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DataBench.open(kind, clock);
  });

  afterEach(() => bench.test.end());

  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => reading(START + from + index, { a: from + index }));
  const valueOf = (payload: Record<string, unknown> | undefined): unknown =>
    (payload?.['readings'] as { a: unknown } | undefined)?.a;

  it('come in pages in both orders, each once, from several captures', async () => {
    await bench.upload(numbers(0, 7), { tags: ['x'] });
    await bench.upload(numbers(3, 10), { tags: ['y'] });
    const all = async (sortOrder: Order): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let last = ''; ;) {
        const dataRequest = { filter: wholeFilter(), limit: 4n, last, sortOrder };
        const page = await bench.data('tabularDataByFilter', { dataRequest });
        expect(page.count).toBe(BigInt(page.data.length));
        if (page.data.length === 0) return seen;
        seen.push(
          ...page.data.map(({ data, metadataIndex }) => [page.metadata[metadataIndex]?.tags[0], valueOf(data)]),
        );
        ({ last } = page);
      }
    };
    const ascending = await all(Order.ASCENDING);
    expect(ascending).toHaveLength(14);
    expect(new Set(ascending.map(String)).size).toBe(14);
    expect(ascending.map((one) => (one as unknown[])[1])).toEqual([0, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9]);
    expect(await all(Order.DESCENDING)).toEqual(ascending.toReversed());
    expect(await all(Order.UNSPECIFIED)).toEqual(ascending.toReversed());
    const counted = await bench.data('tabularDataByFilter', {
      dataRequest: { filter: wholeFilter(), limit: 1n, last: '', sortOrder: 0 },
      countOnly: true,
    });
    expect([counted.count, counted.data]).toEqual([14n, []]);
    expect(counted.totalSizeBytes).toBe(14n * BigInt('{"readings":{"a":1}}'.length));
  });

  it('are exported in the order of time with every field, in the spelling of the caller', async () => {
    await bench.upload(numbers(5, 8));
    await bench.upload(numbers(0, 5), { tags: ['t'] });
    await bench.upload(numbers(0, 5), { componentName: 'other' });
    const found = await bench.export({ interval: { start: new Date(START + 2), end: new Date(START + 7) } });
    expect(found.map(({ payload }) => valueOf(payload))).toEqual([2, 3, 4, 5, 6]);
    const { organizationId, locationId, machineId } = bench.test.first;
    expect(found[0]).toEqual({
      partId: bench.partId,
      resourceName: 'temperature',
      resourceSubtype: 'core:component:sensor',
      methodName: 'Readings',
      timeCaptured: new Date(START + 2),
      organizationId,
      locationId,
      robotName: 'bench',
      robotId: machineId,
      partName: 'bench-main',
      methodParameters: {},
      tags: ['t'],
      payload: { readings: { a: 2 } },
    });
    for (const resourceSubtype of ['sensor', 'rdk:component:sensor', 'core:component:sensor']) {
      expect(await bench.export({ resourceSubtype })).toHaveLength(8);
    }
    expect(await bench.export({ resourceSubtype: 'motor' })).toEqual([]);
    await expect(bench.export({ methodName: '' })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('are exported completely if they are many pages', async () => {
    await bench.upload(numbers(0, 1_234));
    const found = await bench.export();
    expect(found.map(({ payload }) => valueOf(payload))).toEqual(Array.from({ length: 1_234 }, (_, index) => index));
  });

  it('have a latest one; there is none if nothing was captured', async () => {
    await bench.upload(numbers(0, 5));
    clock.advance(1_000);
    await bench.upload(numbers(5, 9), { tags: ['later'] });
    const source = {
      partId: bench.partId,
      resourceName: 'temperature',
      methodName: 'Readings',
      resourceSubtype: 'sensor',
    };
    expect(await bench.data('getLatestTabularData', source)).toEqual({
      timeCaptured: new Date(START + 8),
      timeSynced: new Date(START + 1_000),
      payload: { readings: { a: 8 } },
    });
    expect(await bench.data('getLatestTabularData', { ...source, resourceName: 'none' })).toEqual({});
  });

  it('are deleted by age and source, and the counts of their capture are updated', async () => {
    const { organizationId } = bench.test.first;
    await bench.upload([reading(START - 3 * DAY_MS, { a: 1 }), reading(START - DAY_MS, { a: 2 })]);
    await bench.upload([reading(START - 3 * DAY_MS, { a: 3 })], { componentName: 'other' });
    const filter = {
      locationIds: [],
      robotId: '',
      partId: '',
      componentType: '',
      componentName: 'temperature',
      method: '',
    };
    const old = await bench.data('deleteTabularData', { organizationId, deleteOlderThanDays: 2, filter });
    expect(old.deletedCount).toBe(1n);
    expect((await bench.export()).map(({ payload }) => valueOf(payload))).toEqual([2]);
    const { db } = bench.test.hub.parts.store;
    const capture = db.selectFrom('captures').selectAll().where('component_name', '=', 'temperature');
    expect(await capture.executeTakeFirst()).toMatchObject({
      count: 1,
      bytes: 20,
      first_at: START - DAY_MS,
      last_at: START - DAY_MS,
    });
    expect((await bench.data('deleteTabularData', { organizationId, deleteOlderThanDays: 0 })).deletedCount).toBe(2n);
    expect(await bench.export()).toEqual([]);
  });
});
