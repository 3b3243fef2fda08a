import type { DatasetCounts } from '../../../proto/config/datasets/training-rules.ts';
import type { Annotations } from '../../../proto/gen/core/app/data/v1/data.ts';
import type {
  DatasetCounts as DatasetCountsMessage,
  DatasetSnapshot,
  SnapshotPicture,
} from '../../../proto/gen/core/hub/v1/dataset.ts';
import type { Snapshot, SnapshotItem } from './snapshots.ts';

/** Counts as a message. */
export function countsMessage({ tags, boxes, ...counts }: DatasetCounts): DatasetCountsMessage {
  return { ...counts, tags: [...tags], boxes: [...boxes] };
}

/** A snapshot as a message, without its pictures. */
export function snapshotMessage({
  id,
  dataset_id,
  number,
  created_at,
  note,
  bytes,
  counts,
}: Snapshot): DatasetSnapshot {
  return {
    ...{ id, datasetId: dataset_id, number, note },
    createdAt: new Date(created_at),
    bytes: BigInt(bytes),
    counts: countsMessage(counts),
  };
}

/** A picture of a snapshot as a message. */
export function pictureMessage({ labels, ...item }: SnapshotItem): SnapshotPicture {
  const annotations: Annotations = { bboxes: [], classifications: [] };
  const tags: string[] = [];
  for (const { kind, id, label, confidence, ...edges } of labels) {
    if (kind === 'tag') tags.push(label);
    else if (kind === 'class') annotations.classifications.push({ id, label, confidence: confidence ?? undefined });
    else {
      annotations.bboxes.push({
        ...{ id, label, confidence: confidence ?? undefined },
        xMinNormalized: edges.x_min ?? 0,
        yMinNormalized: edges.y_min ?? 0,
        xMaxNormalized: edges.x_max ?? 0,
        yMaxNormalized: edges.y_max ?? 0,
      });
    }
  }
  return {
    position: item.position,
    binaryDataId: item.binary_id,
    sha256: item.sha256,
    bytes: BigInt(item.bytes),
    mimeType: item.mime_type,
    fileExt: item.file_ext,
    timeCaptured: new Date(item.received_at),
    tags,
    annotations,
  };
}
