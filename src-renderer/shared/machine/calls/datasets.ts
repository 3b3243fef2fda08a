import { DataServiceDefinition } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { DatasetServiceDefinition, DatasetType } from '../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import {
  DatasetFormat,
  HubDatasetServiceDefinition,
  Labelled,
  type ImportDatasetRequest,
} from '../../../../proto/gen/core/hub/v1/dataset.ts';
import type { Channel } from '../../../link/channel.ts';
import { createClient } from '../../../link/client.ts';
import type { DatasetCalls } from '../data/dataset-calls.ts';
import { quick } from './call-options.ts';
import { filterOf } from './data.ts';

/** For very many pictures, which the hub handles in batches. */
const long = { timeoutMs: 10 * 60_000 };
/** Pictures in one call. */
const MAX_IDS_PER_CALL = 1_000;
/** Size of a piece of an uploaded archive. */
const pieceBytes = 256 * 1024;
const formats = { coco: DatasetFormat.COCO, yolo: DatasetFormat.YOLO, jsonl: DatasetFormat.JSON_LINES } as const;
/** The filter by labels as requests have it. */
export const labelledOf = { '': Labelled.UNSPECIFIED, yes: Labelled.YES, no: Labelled.NO } as const;

export function datasetCalls(channel: Channel): DatasetCalls {
  const data = createClient(DataServiceDefinition, channel);
  const datasets = createClient(DatasetServiceDefinition, channel);
  const hub = createClient(HubDatasetServiceDefinition, channel);

  /** Makes several calls if there are more ids than one call takes. */
  const inBatches = async (ids: readonly string[], call: (some: string[]) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < ids.length; at += MAX_IDS_PER_CALL) await call(ids.slice(at, at + MAX_IDS_PER_CALL));
  };

  return {
    async list(organizationId, signal) {
      const request = { organizationId, type: DatasetType.BINARY_DATA };
      return (await datasets.listDatasetsByOrganizationID(request, { ...quick, signal })).datasets;
    },

    async get(id, signal) {
      return (await datasets.listDatasetsByIDs({ ids: [id] }, { ...quick, signal })).datasets[0];
    },

    async create(organizationId, name) {
      return (await datasets.createDataset({ organizationId, name, type: DatasetType.BINARY_DATA }, quick)).id;
    },

    async rename(id, name) {
      await datasets.renameDataset({ id, name }, quick);
    },

    async delete(id) {
      await datasets.deleteDataset({ id }, long);
    },

    async count(datasetId, signal) {
      const { counts } = await hub.count({ datasetId, labels: [] }, { ...quick, signal });
      return counts ?? { pictures: 0, tagged: 0, severalTags: 0, boxed: 0, unlabelled: 0, tags: [], boxes: [] };
    },

    async pictures(datasetId, { labelled, tag, boxLabel }, signal) {
      const request = { datasetId, labelled: labelledOf[labelled], tag, boxLabel };
      const { binaryDataIds, total } = await hub.pictures(request, { ...quick, signal });
      return { ids: binaryDataIds, total };
    },

    async metadata(ids, signal) {
      if (ids.length === 0) return [];
      const request = { includeBinary: false, binaryIds: [], binaryDataIds: [...ids] };
      const answer = await data.binaryDataByIDs(request, { ...quick, signal });
      return answer.data.flatMap(({ metadata }) => metadata ?? []);
    },

    async add(datasetId, ids) {
      await inBatches(ids, (binaryDataIds) =>
        data.addBinaryDataToDatasetByIDs({ datasetId, binaryIds: [], binaryDataIds }, quick),
      );
    },

    async addByFilter(datasetId, filter) {
      return (await hub.addByFilter({ datasetId, filter: filterOf(filter) }, long)).added;
    },

    async remove(datasetId, ids) {
      await inBatches(ids, (binaryDataIds) =>
        data.removeBinaryDataFromDatasetByIDs({ datasetId, binaryIds: [], binaryDataIds }, quick),
      );
    },

    async changeLabels(change) {
      await hub.changeLabels(change, quick);
    },

    async snapshots(datasetId, signal) {
      return (await hub.listSnapshots({ datasetId }, { ...quick, signal })).snapshots;
    },

    async createSnapshot(datasetId, note) {
      const { snapshot } = await hub.createSnapshot({ datasetId, note }, long);
      if (snapshot === undefined) throw new Error('The hub froze the dataset and did not say as which snapshot.');
      return snapshot;
    },

    async deleteSnapshot(id) {
      await hub.deleteSnapshot({ id, thoughTrainedOn: false }, long);
    },

    async *export(what, format, signal) {
      const of: NonNullable<Parameters<typeof hub.export>[0]['of']> =
        'snapshotId' in what
          ? { $case: 'snapshotId', value: what.snapshotId }
          : { $case: 'datasetId', value: what.datasetId };
      for await (const { bytes } of hub.export({ of, format: formats[format] }, { signal })) yield bytes;
    },

    async import(datasetId, partId, archive, signal) {
      async function* requests(): AsyncGenerator<ImportDatasetRequest> {
        yield { part: { $case: 'metadata', value: { datasetId, partId } } };
        for (let at = 0; at < archive.size; at += pieceBytes) {
          const piece = await archive.slice(at, at + pieceBytes).arrayBuffer();
          yield { part: { $case: 'bytes', value: new Uint8Array(piece) } };
        }
      }
      return hub.import(requests(), { signal });
    },
  };
}
