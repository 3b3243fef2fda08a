import type { HubDatasetServiceDefinition } from '../../../proto/gen/core/hub/v1/dataset.ts';
import type { Action } from '../../../proto/config/permissions.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { requiredBinary } from '../data/binary/binary-items.ts';
import { annotationsOf } from '../data/binary/binary-labels.ts';
import { binaryPage } from '../data/binary/binary-rows.ts';
import { binaryQuery } from '../data/query/filter.ts';
import type { Position } from '../data/query/pages.ts';
import { requiredScope } from '../data/query/scope.ts';
import { requireDataset } from '../datasets/dataset-service.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { notFound } from '../places/fleet-errors.ts';
import type { Store } from '../storage/store.ts';
import { picturesOf } from './dataset-pictures.ts';
import { changeLabels } from './label-changes.ts';
import { countLabels, countPictures, labelsOfDataset } from './label-counts.ts';
import { countsMessage, pictureMessage, snapshotMessage } from './snapshot-message.ts';
import type { DatasetSnapshots, Snapshot } from './snapshots.ts';

const ROWS_AT_ONCE = 500;
const DEFAULT_PAGE_PICTURES = 100;
const MAX_PAGE_PICTURES = 1_000;
const MAX_LABELS = 1_000;

export interface LabellingServiceOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  readonly snapshots: DatasetSnapshots;
}

/** `core.hub.v1.HubDatasetService`, without export and import. */
export function labellingService({
  store,
  datasets,
  snapshots,
}: LabellingServiceOptions): HubHandlers<typeof HubDatasetServiceDefinition> {
  const { db } = store;

  /** A caller may do with a snapshot what it may do with its dataset. */
  const requireSnapshot = async (action: Action, id: string, caller: Caller): Promise<Snapshot> => {
    const snapshot = await snapshots.get(id);
    const dataset = await requireDataset(action, snapshot.dataset_id, caller, datasets).catch((thrown: unknown) => {
      if (thrown instanceof ArmatureError && thrown.code === 'call.not_found') return undefined;
      throw thrown;
    });
    if (dataset === undefined) throw notFound('snapshot', id);
    return snapshot;
  };

  return {
    async count({ datasetId, labels }, caller) {
      await requireDataset('data.read', datasetId, caller, datasets);
      if (labels.length > MAX_LABELS) {
        const message = `"labels" has ${labels.length} values; at most ${MAX_LABELS} are allowed.`;
        throw new ArmatureError('call.bad_argument', message);
      }
      const pictures = await countPictures(datasetId, db);
      return { counts: countsMessage(await countLabels(labelsOfDataset(datasetId), pictures, labels, db)) };
    },

    async pictures(request, caller) {
      await requireDataset('data.read', request.datasetId, caller, datasets);
      const { ids, total } = await picturesOf(request, db);
      return { binaryDataIds: [...ids], total };
    },

    async addByFilter({ datasetId, filter }, caller) {
      const { organization_id } = await requireDataset('data.label', datasetId, caller, datasets);
      const { condition } = await requiredScope(caller, 'data.label', db);
      const query = binaryQuery(filter, (where) =>
        where.and([condition(where), where('captures.organization_id', '=', organization_id)]),
      );
      const before = await countPictures(datasetId, db);
      for (let after: Position | undefined; ;) {
        const rows = await binaryPage(query, { limit: ROWS_AT_ONCE, isAscending: true, after }, db);
        const numbers = rows.map(({ number }) => number);
        await store.transaction((tx) => datasets.add(datasetId, numbers, tx));
        if (rows.length < ROWS_AT_ONCE) break;
        after = rows.at(-1);
      }
      return { added: Math.max(0, (await countPictures(datasetId, db)) - before) };
    },

    async changeLabels({ binaryDataId, ...change }, caller) {
      const [row] = await requiredBinary([binaryDataId], 'data.label', caller, db);
      if (row === undefined) throw notFound('binary data', binaryDataId);
      return store.transaction(async (tx) => {
        await changeLabels(row.number, change, tx);
        const tags = tx.selectFrom('binary_tags').select('tag').where('binary_number', '=', row.number).orderBy('tag');
        const annotations = await annotationsOf([row.number], tx);
        return {
          annotations: annotations.get(row.number) ?? { bboxes: [], classifications: [] },
          tags: (await tags.execute()).map(({ tag }) => tag),
        };
      });
    },

    async createSnapshot({ datasetId, note }, caller) {
      await requireDataset('data.label', datasetId, caller, datasets);
      return { snapshot: snapshotMessage(await snapshots.create(datasetId, note)) };
    },

    async listSnapshots({ datasetId }, caller) {
      await requireDataset('data.read', datasetId, caller, datasets);
      return { snapshots: (await snapshots.list(datasetId)).map(snapshotMessage) };
    },

    async getSnapshot({ id, pageToken, pageSize }, caller) {
      const snapshot = await requireSnapshot('data.read', id, caller);
      if (!/^\d{0,9}$/.test(pageToken)) {
        const message = `"${pageToken.slice(0, 40)}" is not a page token of this hub: send the "next_page_token" of the previous answer.`;
        throw new ArmatureError('call.bad_argument', message);
      }
      const limit = pageSize === 0 ? DEFAULT_PAGE_PICTURES : Math.min(pageSize, MAX_PAGE_PICTURES);
      const items = await snapshots.page(id, Number(pageToken), limit);
      return {
        snapshot: snapshotMessage(snapshot),
        pictures: items.map(pictureMessage),
        nextPageToken: items.length < limit ? '' : String(items.at(-1)?.position ?? ''),
      };
    },

    async deleteSnapshot({ id, thoughTrainedOn }, caller) {
      // Not only `data.label`: the snapshot may be the last one that keeps a picture.
      await requireSnapshot('data.delete', id, caller);
      await snapshots.delete(id, thoughTrainedOn);
      return {};
    },
  };
}
