import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Order, TagsFilterType } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ManualClock } from '../../../base/clock.ts';
import { StatusCode } from '../../../base/status.ts';
import { testStores } from '../../storage/testing/test-stores.ts';
import { camera, DataBench, picture } from '../testing/data-bench.ts';
import { wholeFilter } from '../testing/whole-filter.ts';

const { INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED } = StatusCode;
const START = Date.UTC(2026, 5, 1);

describe.each(testStores)('binary data on $name', (kind) => {
  let bench: DataBench;

  beforeEach(async () => {
    bench = await DataBench.open(kind, new ManualClock(START));
  });

  afterEach(() => bench.test.end());

  const takePicture = (atMs: number, more: object = {}) =>
    bench.upload([picture(atMs, Buffer.from(`picture ${atMs}`))], { ...camera, ...more });

  it('comes in pages with all its metadata, and with its bytes if they are asked for', async () => {
    const ids = [];
    for (let at = 0; at < 5; at++) ids.push(await takePicture(START + at));
    const seen: string[] = [];
    for (let last = ''; ;) {
      const dataRequest = { filter: wholeFilter(), limit: 2n, last, sortOrder: Order.ASCENDING };
      const page = await bench.data('binaryDataByFilter', { dataRequest, includeBinary: true });
      if (page.data.length === 0) break;
      seen.push(...page.data.map(({ binary }) => Buffer.from(binary).toString()));
      ({ last } = page);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((at) => `picture ${START + at}`));
    const { data } = await bench.data('binaryDataByIDs', {
      binaryIds: [{ fileId: ids[0] ?? '', organizationId: '', locationId: '' }],
    });
    expect(data).toMatchObject([
      {
        binary: new Uint8Array(0),
        metadata: {
          id: ids[0],
          binaryDataId: ids[0],
          timeRequested: new Date(START),
          timeReceived: new Date(START),
          fileName: '',
          fileExt: '.jpg',
          fileSizeBytes: 21n,
          annotations: { bboxes: [], classifications: [] },
          datasetIds: [],
          captureMetadata: { componentName: 'front', mimeType: 'image/jpeg', tags: [] },
        },
      },
    ]);
    const counted = await bench.data('binaryDataByFilter', { countOnly: true });
    expect(counted).toMatchObject({ count: 5n, totalSizeBytes: 105n, data: [] });
  });

  it('that is too much for one answer gives a shorter page, and is refused by ids', async () => {
    const ids = [];
    for (let at = 0; at < 3; at++) ids.push(await bench.upload([picture(START + at, randomBytes(9_000_000))], camera));
    const page = await bench.data('binaryDataByFilter', { includeBinary: true });
    expect(page.data).toHaveLength(2);
    expect(page.last).not.toBe('');
    const refused = bench.data('binaryDataByIDs', { binaryDataIds: ids, includeBinary: true });
    await expect(refused).rejects.toMatchObject({ code: RESOURCE_EXHAUSTED });
    expect((await bench.data('binaryDataByIDs', { binaryDataIds: ids })).data).toHaveLength(3);
  });

  it('has tags that are added, removed and listed', async () => {
    const [first = '', second = ''] = [await takePicture(START, { tags: ['a'] }), await takePicture(START + 1)];
    await bench.data('addTagsToBinaryDataByIDs', { binaryDataIds: [first, second], tags: ['b', 'a'] });
    await bench.data('addTagsToBinaryDataByFilter', {
      filter: wholeFilter({ tagsFilter: { type: TagsFilterType.MATCH_BY_OR, tags: ['b'] } }),
      tags: ['c'],
    });
    const tags = async () =>
      (await bench.data('binaryDataByIDs', { binaryDataIds: [first, second] })).data.map(
        ({ metadata }) => metadata?.captureMetadata?.tags,
      );
    expect(await tags()).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    expect(
      (await bench.data('removeTagsFromBinaryDataByIDs', { binaryDataIds: [first], tags: ['a', 'z'] })).deletedCount,
    ).toBe(1n);
    expect((await bench.data('removeTagsFromBinaryDataByFilter', { tags: ['c'] })).deletedCount).toBe(2n);
    expect(await tags()).toEqual([['b'], ['a', 'b']]);
    expect((await bench.data('tagsByFilter', {})).tags).toEqual(['a', 'b']);
    const none = bench.data('addTagsToBinaryDataByIDs', { binaryDataIds: [first, 'none'], tags: ['x'] });
    await expect(none).rejects.toMatchObject({ code: NOT_FOUND });
    expect(await tags()).toEqual([['b'], ['a', 'b']]);
  });

  it('has boxes that are added, changed and removed', async () => {
    const binaryDataId = await takePicture(START);
    const box = { xMinNormalized: 0.1, yMinNormalized: 0.2, xMaxNormalized: 0.3, yMaxNormalized: 0.4 };
    const { bboxId } = await bench.data('addBoundingBoxToImageByID', { binaryDataId, label: 'screw', ...box });
    await bench.data('updateBoundingBox', { binaryDataId, bboxId, label: 'nut', xMaxNormalized: 1, confidence: 0.5 });
    const found = await bench.data('binaryDataByIDs', { binaryDataIds: [binaryDataId] });
    expect(found.data[0]?.metadata?.annotations).toEqual({
      bboxes: [{ id: bboxId, label: 'nut', ...box, xMaxNormalized: 1, confidence: 0.5 }],
      classifications: [],
    });
    expect((await bench.data('boundingBoxLabelsByFilter', {})).labels).toEqual(['nut']);
    for (const bad of [{ xMinNormalized: 0.4 }, { yMaxNormalized: 1.1 }, { xMinNormalized: NaN }, { label: '' }]) {
      const refused = bench.data('addBoundingBoxToImageByID', { binaryDataId, label: 'x', ...box, ...bad });
      await expect(refused).rejects.toMatchObject({ code: INVALID_ARGUMENT });
    }
    const other = await takePicture(START + 1);
    const wrong = bench.data('removeBoundingBoxFromImageByID', { binaryDataId: other, bboxId });
    await expect(wrong).rejects.toMatchObject({ code: NOT_FOUND });
    await bench.data('removeBoundingBoxFromImageByID', { binaryDataId, bboxId });
    expect((await bench.data('boundingBoxLabelsByFilter', {})).labels).toEqual([]);
  });

  it('is deleted with its tags and labels, and its bytes when nothing else has them', async () => {
    const same = [await takePicture(START), await takePicture(START)];
    const other = await takePicture(START + 1, { tags: ['t'] });
    const { db } = bench.test.hub.parts.store;
    const sha256s = async () =>
      new Set((await db.selectFrom('binary_data').select('sha256').execute()).map((row) => row.sha256));
    const deleted = await bench.data('deleteBinaryDataByIDs', { binaryDataIds: [same[0] ?? '', 'none'] });
    expect(deleted.deletedCount).toBe(1n);
    const left = await bench.data('binaryDataByIDs', { binaryDataIds: [same[1] ?? ''], includeBinary: true });
    expect(Buffer.from(left.data[0]?.binary ?? []).toString()).toBe(`picture ${START}`);
    const tagged = wholeFilter({ tagsFilter: { type: TagsFilterType.TAGGED, tags: [] } });
    expect((await bench.data('deleteBinaryDataByFilter', { filter: tagged })).deletedCount).toBe(1n);
    expect((await bench.data('binaryDataByIDs', { binaryDataIds: [other] })).data).toEqual([]);
    expect((await sha256s()).size).toBe(1);
    expect((await bench.data('deleteBinaryDataByFilter', {})).deletedCount).toBe(1n);
    expect((await sha256s()).size).toBe(0);
    expect(await db.selectFrom('unsettled_blobs').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('captures').select(['count', 'bytes', 'first_at']).execute()).toEqual([
      { count: 0, bytes: 0, first_at: null },
    ]);
  });
});
