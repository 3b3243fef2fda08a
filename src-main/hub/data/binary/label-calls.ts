import type { DataServiceDefinition, Filter } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { requireDataset } from '../../datasets/dataset-service.ts';
import type { Datasets } from '../../datasets/datasets.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/tables.ts';
import type { Caller } from '../../access/caller.ts';
import { binaryQuery, readingsQuery, type DataQuery } from '../query/filter.ts';
import { checkTags } from '../captures/labels.ts';
import type { Position } from '../query/pages.ts';
import { requiredScope, scopeOf } from '../query/scope.ts';
import { idOf, idsOf, requiredBinary } from './binary-items.ts';
import { addLabel, changeBox, removeBox } from './binary-labels.ts';
import { binaryPage, type BinaryRow } from './binary-rows.ts';

/** Rows of one transaction. */
const ROWS_AT_ONCE = 500;

/** Calls of `core.app.data.v1.DataService` for tags, boxes and datasets of binary data. */
export function labelCalls(store: Store, datasets: Datasets): HubHandlers<typeof DataServiceDefinition> {
  const { db } = store;

  const addTags = async (rows: readonly BinaryRow[], tags: readonly string[], tx: WriteTransaction): Promise<void> => {
    const added = rows.flatMap(({ number }) => tags.map((tag) => ({ binary_number: number, tag })));
    for (let at = 0; at < added.length; at += ROWS_AT_ONCE) {
      const some = tx.insertInto('binary_tags').values(added.slice(at, at + ROWS_AT_ONCE));
      await some.onConflict((conflict) => conflict.doNothing()).execute();
    }
  };

  /** @returns from how many pieces of binary data a tag was removed */
  const removeTags = async (
    rows: readonly BinaryRow[],
    tags: readonly string[],
    tx: WriteTransaction,
  ): Promise<number> => {
    if (rows.length === 0 || tags.length === 0) return 0;
    const numbers = rows.map(({ number }) => number);
    const removed = await tx
      .deleteFrom('binary_tags')
      .where('binary_number', 'in', numbers)
      .where('tag', 'in', tags)
      .returning('binary_number')
      .execute();
    return new Set(removed.map(({ binary_number }) => binary_number)).size;
  };

  /** Calls `work` for all data that a filter selects and the caller may label, with one transaction for each page. */
  const eachPage = async (
    filter: Filter | undefined,
    caller: Caller,
    work: (rows: readonly BinaryRow[], tx: WriteTransaction) => Promise<number | void>,
  ): Promise<number> => {
    const { condition } = await requiredScope(caller, 'data.label', db);
    const query = binaryQuery(filter, condition);
    let count = 0;
    for (let after: Position | undefined; ;) {
      const rows = await binaryPage(query, { limit: ROWS_AT_ONCE, isAscending: true, after }, db);
      count += (await store.transaction((tx) => work(rows, tx))) ?? 0;
      if (rows.length < ROWS_AT_ONCE) return count;
      after = rows.at(-1);
    }
  };

  const requiredOne = async (id: string, caller: Caller): Promise<BinaryRow> => {
    const [row] = await requiredBinary([id], 'data.label', caller, db);
    if (row === undefined) throw notFound('binary data', id);
    return row;
  };

  return {
    async addTagsToBinaryDataByIDs({ tags, ...named }, caller) {
      const each = checkTags(tags);
      const rows = await requiredBinary(idsOf(named), 'data.label', caller, db);
      await store.transaction((tx) => addTags(rows, each, tx));
      return {};
    },

    async addTagsToBinaryDataByFilter({ tags, filter }, caller) {
      const each = checkTags(tags);
      await eachPage(filter, caller, (rows, tx) => addTags(rows, each, tx));
      return {};
    },

    async removeTagsFromBinaryDataByIDs({ tags, ...named }, caller) {
      const rows = await requiredBinary(idsOf(named), 'data.label', caller, db);
      const each = checkTags(tags);
      return { deletedCount: BigInt(await store.transaction((tx) => removeTags(rows, each, tx))) };
    },

    async removeTagsFromBinaryDataByFilter({ tags, filter }, caller) {
      const each = checkTags(tags);
      return { deletedCount: BigInt(await eachPage(filter, caller, (rows, tx) => removeTags(rows, each, tx))) };
    },

    async tagsByFilter({ filter }, caller) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const ofBinary = db
        .selectFrom('binary_tags')
        .innerJoin('binary_data', 'binary_data.number', 'binary_tags.binary_number')
        .where('binary_data.number', 'in', numbersOf(binaryQuery(filter, condition)));
      const { capture, startMs, endMs } = readingsQuery(filter, condition);
      let ofReadings = db
        .selectFrom('captures')
        .innerJoin('capture_tags', 'capture_tags.capture_id', 'captures.id')
        .where('captures.count', '>', 0)
        .where(capture);
      if (startMs !== undefined) ofReadings = ofReadings.where('captures.last_at', '>=', startMs);
      if (endMs !== undefined) ofReadings = ofReadings.where('captures.first_at', '<', endMs);
      const found = await Promise.all([
        ofBinary.select('binary_tags.tag').distinct().execute(),
        ofReadings.select('capture_tags.tag').distinct().execute(),
      ]);
      return { tags: [...new Set(found.flat().map(({ tag }) => tag))].sort() };
    },

    async addBoundingBoxToImageByID({ binaryDataId, binaryId, label, confidence, ...box }, caller) {
      const { number } = await requiredOne(idOf(binaryDataId, binaryId), caller);
      const edges = [box.xMinNormalized, box.yMinNormalized, box.xMaxNormalized, box.yMaxNormalized] as const;
      const added = { label, confidence: confidence ?? null, edges };
      return { bboxId: await store.transaction((tx) => addLabel(number, added, tx)) };
    },

    async removeBoundingBoxFromImageByID({ binaryDataId, binaryId, bboxId }, caller) {
      const { number } = await requiredOne(idOf(binaryDataId, binaryId), caller);
      await store.transaction((tx) => removeBox(number, bboxId, tx));
      return {};
    },

    async updateBoundingBox({ binaryDataId, binaryId, bboxId, ...change }, caller) {
      const { number } = await requiredOne(idOf(binaryDataId, binaryId), caller);
      const edges = [
        change.xMinNormalized,
        change.yMinNormalized,
        change.xMaxNormalized,
        change.yMaxNormalized,
      ] as const;
      const { label, confidence } = change;
      await store.transaction((tx) => changeBox(number, bboxId, { label, confidence, edges }, tx));
      return {};
    },

    async boundingBoxLabelsByFilter({ filter }, caller) {
      const { condition } = await scopeOf(caller, 'data.read', db);
      const rows = await db
        .selectFrom('binary_labels')
        .select('label')
        .distinct()
        .where('x_min', 'is not', null)
        .where('binary_number', 'in', numbersOf(binaryQuery(filter, condition)))
        .orderBy('label')
        .execute();
      return { labels: rows.map(({ label }) => label) };
    },

    async addBinaryDataToDatasetByIDs({ datasetId, ...named }, caller) {
      const { organization_id } = await requireDataset('data.label', datasetId, caller, datasets);
      const rows = await requiredBinary(idsOf(named), 'data.label', caller, db);
      await requireOrganization(organization_id, rows);
      const numbers = rows.map(({ number }) => number);
      await store.transaction((tx) => datasets.add(datasetId, numbers, tx));
      return {};
    },

    async removeBinaryDataFromDatasetByIDs({ datasetId, ...named }, caller) {
      await requireDataset('data.label', datasetId, caller, datasets);
      const rows = await requiredBinary(idsOf(named), 'data.label', caller, db);
      const numbers = rows.map(({ number }) => number);
      await store.transaction((tx) => datasets.remove(datasetId, numbers, tx));
      return {};
    },
  };

  /** A subquery for the numbers of the binary data that a query selects. */
  function numbersOf({ capture, item, startMs, endMs }: DataQuery) {
    const captures = db.selectFrom('captures').select('captures.id').where('is_binary', '=', 1).where(capture);
    let rows = db.selectFrom('binary_data').select('binary_data.number').where('capture_id', 'in', captures);
    if (startMs !== undefined) rows = rows.where('received_at', '>=', startMs);
    if (endMs !== undefined) rows = rows.where('received_at', '<', endMs);
    return item === undefined ? rows : rows.where(item);
  }

  /** Requires that all rows belong to an organization: a dataset contains only data of its own organization. */
  async function requireOrganization(organizationId: string, rows: readonly BinaryRow[]): Promise<void> {
    if (rows.length === 0) return;
    const captureIds = rows.map(({ captureId }) => captureId);
    const others = db.selectFrom('captures').select('id').where('captures.id', 'in', captureIds);
    const foreign = await others.where('organization_id', '!=', organizationId).executeTakeFirst();
    const row = rows.find(({ captureId }) => captureId === foreign?.id);
    if (row !== undefined) throw notFound('binary data', row.id);
  }
}
