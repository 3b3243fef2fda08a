import type { Generated } from 'kysely';

declare module '../storage/tables.ts' {
  interface Tables {
    datasets: DatasetsTable;
    dataset_members: DatasetMembersTable;
    dataset_snapshots: DatasetSnapshotsTable;
    dataset_snapshot_items: DatasetSnapshotItemsTable;
    dataset_snapshot_labels: DatasetSnapshotLabelsTable;
  }
}

export interface DatasetsTable {
  id: string;
  organization_id: string;
  name: string;
  /** 0 binary data, 1 sequences, as in core.app.dataset.v1. */
  type: number;
  created_at: number;
  /** How many snapshots were ever made of it, which is the number of the newest one. */
  snapshots: Generated<number>;
}

export interface DatasetMembersTable {
  dataset_id: string;
  /** `number` in `binary_data`. */
  binary_number: number;
}

/** A dataset at one moment. Rows are never changed. */
export interface DatasetSnapshotsTable {
  id: string;
  dataset_id: string;
  number: number;
  created_at: number;
  note: string;
  bytes: number;
  /** JSON: DatasetCounts of proto/config/datasets. */
  counts: string;
}

/**
 * A picture of a snapshot, as it was: the picture itself may have been deleted since. Rows of a deleted snapshot stay
 * until the next sweep.
 */
export interface DatasetSnapshotItemsTable {
  snapshot_id: string;
  /** From 1, in the order of capture. */
  position: number;
  binary_id: string;
  sha256: string;
  bytes: number;
  received_at: number;
  mime_type: string;
  file_ext: string;
  organization_id: string;
  location_id: string;
  machine_id: string;
  part_id: string;
  component_name: string;
}

export interface DatasetSnapshotLabelsTable {
  snapshot_id: string;
  position: number;
  kind: 'tag' | 'class' | 'box';
  /** Id of a class or box; '' for a tag. */
  id: string;
  label: string;
  confidence: number | null;
  x_min: number | null;
  y_min: number | null;
  x_max: number | null;
  y_max: number | null;
}
