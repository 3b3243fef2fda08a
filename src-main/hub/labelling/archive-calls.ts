import type { HubDatasetServiceDefinition, ImportDatasetRequest } from '../../../proto/gen/core/hub/v1/dataset.ts';
import { DataType } from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { HubHandlers } from '../access/guarded.ts';
import { BlobUploads, type UploadLimits } from '../blobs/blob-uploads.ts';
import type { CapturedData } from '../data/captured-data.ts';
import { uploadInfoOf } from '../data/uploads/upload-metadata.ts';
import { requireDataset } from '../datasets/dataset-service.ts';
import type { Datasets } from '../datasets/datasets.ts';
import { notFound } from '../places/fleet-errors.ts';
import { membershipOf } from '../places/membership.ts';
import type { Store } from '../storage/store.ts';
import { countLabels, labelsOfDataset, labelsOfSnapshot } from './label-counts.ts';
import { liveItems } from './live-items.ts';
import type { DatasetSnapshots } from './snapshots.ts';

/** Archives contain whole datasets. Only two at once, so that machines can upload captured data too. */
const UPLOAD_LIMITS: UploadLimits = { bytes: 64 * 1024 ** 3, atOnce: 2, idleMs: 60_000 };

export interface ArchiveCallsOptions {
  readonly store: Store;
  readonly data: CapturedData;
  readonly datasets: Datasets;
  readonly snapshots: DatasetSnapshots;
  readonly clock: Clock;
}

/** Calls of `core.hub.v1.HubDatasetService` that export datasets as archives, and import archives. */
export function archiveCalls(options: ArchiveCallsOptions): HubHandlers<typeof HubDatasetServiceDefinition> {
  const { store, data, datasets, snapshots, clock } = options;
  const { db } = store;
  const uploads = new BlobUploads({ blobs: data.blobs, clock, limits: UPLOAD_LIMITS, what: 'archive' });

  return {
    async *export({ of, format }, caller, call) {
      const snapshot = of?.$case === 'snapshotId' ? await snapshots.get(of.value) : undefined;
      const datasetId = snapshot?.dataset_id ?? of?.value ?? '';
      await requireDataset('data.read', datasetId, caller, datasets);
      const rows = snapshot === undefined ? labelsOfDataset(datasetId) : labelsOfSnapshot(snapshot.id);
      const { boxes } = await countLabels(rows, 0, [], db);
      const source = {
        items: snapshot === undefined ? liveItems(datasetId, db) : snapshots.items(snapshot.id),
        boxLabels: boxes.map(({ label }) => label),
        bytes: snapshots.bytes.bind(snapshots),
      };
      // Loaded with the first export or import, to keep the start of a hub quick.
      const { exportArchive } = await import('./archive-export.ts');
      for await (const bytes of exportArchive(source, format, call.signal)) yield { bytes };
    },

    async import(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const request = (await messages.next()).value as ImportDatasetRequest | undefined;
      const first = request?.part;
      if (first?.$case !== 'metadata') {
        throw new ArmatureError('call.bad_argument', 'The import begins without its metadata: send that first.');
      }
      const { datasetId, partId } = first.value;
      const dataset = await requireDataset('data.label', datasetId, caller, datasets);
      const place = await caller.require('data.write', { type: 'part', id: partId }, db);
      const { membership } = await membershipOf(store, partId, place);
      if (membership.organizationId !== dataset.organization_id) throw notFound('part', partId);
      const { organizationId, locationId, machineId, machineName, partName } = membership;
      const origin = { organizationId, locationId, machineId, machineName, partId, partName };
      const chunks = (async function* () {
        for await (const { part } of { [Symbol.asyncIterator]: () => messages }) {
          if (part?.$case !== 'bytes') {
            throw new ArmatureError(
              'call.bad_argument',
              'The import has something other than bytes after its metadata.',
            );
          }
          yield part.value;
        }
      })();

      return uploads.receive(
        chunks,
        (reason) => call.cancel(reason),
        async (archive) => {
          const { eachPicture, readArchive } = await import('./archive-import.ts');
          const { format, pictures } = await readArchive(archive.path);
          let [added, known] = [0, 0];
          await eachPicture(archive.path, async (name, content) => {
            call.signal.throwIfAborted();
            const picture = pictures.get(name);
            if (picture === undefined) return void content.resume();
            const draft = await data.blobs.begin();
            try {
              for await (const chunk of content as AsyncIterable<Uint8Array>) await draft.write(chunk);
              const sha256 = await draft.finish();
              if (await isInDataset(datasetId, sha256.toString('hex'))) {
                known++;
                return;
              }
              const info = uploadInfoOf({
                ...{ partId, type: DataType.FILE, fileName: name, fileExtension: picture.fileExt },
                ...{ componentType: '', componentName: '', methodName: '', methodParameters: {} },
                ...{ mimeType: picture.mimeType, tags: [...picture.tags], datasetIds: [datasetId] },
              });
              const labels = picture.boxes.map(({ label, left, top, right, bottom }) => ({
                ...{ label, confidence: null },
                edges: [left, top, right, bottom] as const,
              }));
              const now = clock.now();
              const times = { requestedAt: now, receivedAt: now };
              await data.storeBinary({ info, origin, times, labels, senderKey: undefined }, draft, sha256);
              added++;
            } finally {
              await draft.close();
            }
          });
          return { added, known, format };
        },
      );
    },
  };

  async function isInDataset(datasetId: string, sha256: string): Promise<boolean> {
    const row = db
      .selectFrom('binary_data')
      .innerJoin('dataset_members', 'dataset_members.binary_number', 'binary_data.number')
      .select('binary_data.number')
      .where('binary_data.sha256', '=', sha256)
      .where('dataset_members.dataset_id', '=', datasetId);
    return (await row.limit(1).executeTakeFirst()) !== undefined;
  }
}
