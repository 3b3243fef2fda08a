import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  DataType,
  type SensorData,
  type UploadMetadata,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { systemClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { DataBench, picture, reading } from '../testing/data-bench.ts';

const { INVALID_ARGUMENT } = StatusCode;
const START = Date.UTC(2026, 5, 1);

describe.each(testStores)('uploads that are refused on $name', (kind) => {
  let bench: DataBench;

  beforeEach(async () => {
    bench = await DataBench.open(kind, systemClock);
  });

  afterEach(() => bench.test.end());

  const nested = (depth: number): Record<string, unknown> =>
    Array.from({ length: depth }).reduce<Record<string, unknown>>((inner) => ({ a: inner }), {});

  /** A reading with `a`. */
  const one = (a: unknown = 1, atMs = START) => [reading(atMs, { a })];
  const still = (text: string) => picture(START, Buffer.from(text));
  const long = 'x'.repeat(1_000_000);
  const manyTags = Array.from({ length: 1_000 }, (_, index) => `t${index}`);

  it.each<readonly [string, readonly SensorData[], Partial<UploadMetadata>, RegExp]>([
    ['nothing', [], {}, /has no data/],
    ['no content', [{ metadata: undefined }], {}, /has no data/],
    ['readings beside a picture', [...one(), still('x')], {}, /mixes kinds of data/],
    ['two pictures', [still('x'), still('y')], { type: DataType.UNSPECIFIED }, /has 2 pieces/],
    ['a picture that is called tabular', [still('x')], {}, /says that it is tabular/],
    ['readings that are called binary', one(), { type: DataType.BINARY_SENSOR }, /says that it is binary/],
    ['NaN', one(NaN), {}, /"readings\.a" of reading 1 is NaN/],
    ['a struct that is very deep', one(nested(300)), {}, /recursion limit/],
    ['a time before 1970', one(1, -1), {}, /is 1969-12-31T23:59:59\.999Z; allowed are the years 1970 to 9999/],
    ['a time after 9999', one(1, 8.64e15), {}, /is \+275760-/],
    ['a name of 1 MB', one(), { componentName: long }, /component name "x{80}" is not allowed: it has 1000000/],
    ['a type of 1 MB', one(), { componentType: long }, /component type "x{80}" is not allowed/],
    ['a file name of 1 MB', one(), { fileName: long }, /file name has 1000000/],
    ['a name with a line break', one(), { methodName: 'a\nb' }, /method name .* no control characters/s],
    ['an empty tag', one(), { tags: [''] }, /tag is empty/],
    ['a thousand tags', one(), { tags: manyTags }, /1000 tags/],
    ['a dataset that is not there', one(), { datasetIds: ['none'] }, /no dataset "none"/],
    ['a reading of 1 MB', one(long), {}, /JSON of reading 1 has 10000\d\d bytes/],
  ])('with %s are refused, and nothing is stored', async (_what, contents, more, message) => {
    await expect(bench.upload(contents, more)).rejects.toMatchObject({
      code: INVALID_ARGUMENT,
      message: expect.stringMatching(message) as string,
    });
    const { db } = bench.test.hub.parts.store;
    for (const table of ['uploads', 'captures', 'readings'] as const) {
      expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await readdir(path.join(bench.test.folder, 'data')).catch(() => [])).toEqual([]);
  });
});
