import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DownloadDataResponse, HubDataServiceDefinition } from '../../../../proto/gen/core/hub/v1/data.ts';
import { DataType } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import type { RequestOf, ResponseOf } from '../../../rpc/service.ts';
import { silentLogger } from '../../../base/logger.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataSweeper } from '../retention/data-keeper.ts';
import { DataBench, picture, reading } from '../testing/data-bench.ts';

const { INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED } = StatusCode;
const START = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 60 * 60 * 1_000;

type Methods = (typeof HubDataServiceDefinition)['methods'];

describe.each(testStores)('captured data for the window on $name', (kind) => {
  let clock: ManualClock;
  let bench: DataBench;

  beforeEach(async () => {
    clock = new ManualClock(START);
    bench = await DataBench.open(kind, clock);
  });

  afterEach(() => bench.test.end());

  const ask = <K extends keyof Methods>(
    method: K,
    request: Partial<RequestOf<Methods[K]>>,
    token = bench.ownerToken,
  ): Promise<ResponseOf<Methods[K]>> => bench.test.call(HubDataServiceDefinition, method, request, { token });
  const series = (more: object = {}) =>
    ask('series', {
      partId: bench.partId,
      componentName: 'temperature',
      methodName: 'Readings',
      path: ['readings', 'a'],
      pixels: 10,
      ...more,
    });

  it('lists sources, summed up over names and tags of their captures', async () => {
    expect((await ask('sources', {})).sources).toEqual([]);
    await bench.upload([reading(START + 5, { a: 1 })], { tags: ['x'] });
    await bench.upload([reading(START + 1, { a: 1 }), reading(START + 9, { a: 1 })], { tags: ['y'] });
    await bench.upload([picture(START + 3, Buffer.from('picture'))], {
      type: DataType.BINARY_SENSOR,
      componentName: 'front',
      methodName: 'ReadImage',
    });
    const { sources } = await ask('sources', { machineId: bench.test.first.machineId });
    expect(sources).toMatchObject([
      {
        partId: bench.partId,
        machineName: 'bench',
        componentName: 'temperature',
        componentType: 'core:component:sensor',
        isBinary: false,
        first: new Date(START + 1),
        last: new Date(START + 9),
        count: 3n,
        bytes: 60n,
      },
      { componentName: 'front', isBinary: true, count: 1n, bytes: 7n },
    ]);
    expect((await ask('sources', { partId: 'none' })).sources).toEqual([]);
    expect((await ask('sources', {}, bench.partToken)).sources).toEqual([]);
  });

  it('returns minimum, maximum and mean of a field for each stretch', async () => {
    const sample = fc.record({
      at: fc.integer({ min: 0, max: 1_000 }),
      a: fc.oneof(fc.integer({ min: -9, max: 9 }), fc.boolean(), fc.constantFrom(null, 'text', { b: 1 }, [1])),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(sample, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 1_001 }), { minLength: 2, maxLength: 2 }),
        async (samples, pixels, bounds) => {
          await bench.data('deleteTabularData', { organizationId: bench.test.first.organizationId });
          await bench.upload(samples.map(({ at, a }) => reading(START + at, { a })));
          const [start = 0, end = 0] = bounds.sort((a, b) => a - b);
          const answer = await series({ pixels, start: new Date(START + start), end: new Date(START + end) });
          const expected = new Map<number, number[]>();
          for (const { at, a } of samples) {
            if (at < start || at >= end || (typeof a !== 'number' && typeof a !== 'boolean')) continue;
            const index = Math.floor(((at - start) * pixels) / (end - start));
            expected.set(index, [...(expected.get(index) ?? []), Number(a)]);
          }
          expect(answer.buckets).toHaveLength(expected.size);
          for (const { index, min, max, average, count } of answer.buckets) {
            const values = expected.get(index) ?? [];
            expect([min, max, count]).toEqual([Math.min(...values), Math.max(...values), BigInt(values.length)]);
            expect(average).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('returns a series of all readings if no bounds are given, from lists too', async () => {
    expect((await series()).buckets).toEqual([]);
    await bench.upload([0, 1, 2, 3].map((index) => reading(START + index * 10, { a: [index, { b: -index }] })));
    const answer = await series({ path: ['readings', 'a', '1', 'b'], pixels: 2 });
    expect(answer).toMatchObject({
      start: new Date(START),
      end: new Date(START + 31),
      buckets: [
        { index: 0, min: -1, max: 0, count: 2n },
        { index: 1, min: -3, max: -2, count: 2n },
      ],
    });
    expect((await series({ path: ['readings', 'a', 'length'] })).buckets).toEqual([]);
    expect((await series({ path: ['readings', '__proto__'] })).buckets).toEqual([]);
    await expect(series({ pixels: 0 })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    await expect(series({ pixels: 10_001 })).rejects.toMatchObject({ code: INVALID_ARGUMENT });
  });

  it('returns binary data of any size from an offset, to callers that may see it', async () => {
    const bytes = randomBytes(300_000);
    const binaryDataId = await bench.uploadFile(bytes);
    const call = bench.test.start(
      HubDataServiceDefinition,
      'download',
      { binaryDataId, offset: 100_000n },
      { token: bench.ownerToken },
    );
    expect(await call.ended).toMatchObject({ code: 0 });
    const [first, ...rest] = call.messages.map((message) => DownloadDataResponse.decode(message).part);
    expect(first).toEqual({ $case: 'bytesTotal', value: 300_000n });
    const got = rest.map((part) => (part?.$case === 'bytes' ? part.value : new Uint8Array(0)));
    expect(Buffer.compare(Buffer.concat(got), bytes.subarray(100_000))).toBe(0);
    const refused = bench.test.start(
      HubDataServiceDefinition,
      'download',
      { binaryDataId },
      { token: bench.partToken },
    );
    expect((await refused.ended).code).toBe(NOT_FOUND);
    const beyond = bench.test.start(
      HubDataServiceDefinition,
      'download',
      { binaryDataId, offset: 300_001n },
      { token: bench.ownerToken },
    );
    expect((await beyond.ended).code).toBe(INVALID_ARGUMENT);
  });

  describe('deletes data', () => {
    const left = async () => {
      const { db } = bench.test.hub.parts.store;
      const readings = await db.selectFrom('readings').select('id').execute();
      const binary = await db.selectFrom('binary_data').select('id').execute();
      const uploads = await db.selectFrom('uploads').select('id').execute();
      return [readings.length, binary.length, uploads.length];
    };
    const captureAll = async (): Promise<void> => {
      await bench.upload(Array.from({ length: 2_500 }, (_, index) => reading(START + index, { a: index })));
      await bench.upload([reading(START, { a: 1 })]);
      await bench.uploadFile(randomBytes(1_000));
    };
    /** Runs a sweep at a time after the start. @returns how many rows were deleted */
    const sweep = async (afterMs: number): Promise<number> => {
      const { store, data } = bench.test.hub.parts;
      const age = (): number => START + afterMs;
      const sweeper = new DataSweeper({ store, blobs: data.blobs, clock, age, logger: silentLogger });
      const count = await sweeper.sweep();
      await sweeper.close();
      return count;
    };

    it('only if its organization has set a retention, and then by the time at which the hub received it', async () => {
      const { organizationId } = bench.test.first;
      expect((await ask('getRetention', { organizationId })).retention).toEqual({ readingsDays: 0, binaryDays: 0 });
      await captureAll();
      clock.advance(1_000);
      // By the clock of its machine, it is as old as the others.
      await bench.upload([reading(START, { a: 'new' })]);
      expect(await sweep(10_000 * DAY_MS)).toBe(0);
      await ask('setRetention', { organizationId, retention: { readingsDays: 7, binaryDays: 0 } });
      expect(await sweep(7 * DAY_MS)).toBe(0);
      expect(await sweep(7 * DAY_MS + 500)).toBe(2_501);
      expect(await left()).toEqual([1, 1, 2]);
      await ask('setRetention', { organizationId, retention: { readingsDays: 7, binaryDays: 1 } });
      expect(await sweep(DAY_MS + 500)).toBe(1);
      expect(await left()).toEqual([1, 0, 1]);
      expect((await ask('getRetention', { organizationId })).retention).toEqual({ readingsDays: 7, binaryDays: 1 });
      expect((await bench.export()).map(({ payload }) => payload)).toEqual([{ readings: { a: 'new' } }]);
    });

    it('by a retention, which only callers may set who may delete data', async () => {
      const { organizationId } = bench.test.first;
      const operator = await bench.tokenFor('organization_operator', organizationId);
      const retention = { readingsDays: 1, binaryDays: 1 };
      await expect(ask('setRetention', { organizationId, retention }, operator)).rejects.toMatchObject({
        code: PERMISSION_DENIED,
      });
      expect((await ask('getRetention', { organizationId }, operator)).retention?.readingsDays).toBe(0);
      const beyond = ask('setRetention', { organizationId, retention: { ...retention, binaryDays: 99_999 } });
      await expect(beyond).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    });

    it('of an organization that is deleted', async () => {
      const { organization } = await bench.owner('createOrganization', { name: 'Other' });
      const organizationId = organization?.id ?? '';
      const { location } = await bench.owner('createLocation', { organizationId, name: 'Hall' });
      const { id } = await bench.owner('newRobot', { name: 'second', location: location?.id ?? '' });
      const partId = (await bench.owner('getRobotParts', { robotId: id })).parts[0]?.id ?? '';
      await bench.upload([reading(START, { a: 1 })], { partId }, { token: bench.ownerToken });
      await bench.upload(
        [picture(START, Buffer.from('x'))],
        { partId, type: DataType.BINARY_SENSOR },
        { token: bench.ownerToken },
      );
      await captureAll();
      await bench.owner('deleteRobot', { id });
      await bench.owner('deleteLocation', { locationId: location?.id ?? '' });
      await bench.owner('deleteOrganization', { organizationId });
      expect(await sweep(0)).toBe(2);
      expect(await left()).toEqual([2_501, 1, 3]);
    });
  });
});
