import type { Generated } from 'kysely';

declare module '../storage/tables.ts' {
  interface Tables {
    captures: CapturesTable;
    capture_tags: CaptureTagsTable;
    uploads: UploadsTable;
    readings: ReadingsTable;
    binary_data: BinaryDataTable;
    binary_tags: BinaryTagsTable;
    binary_labels: BinaryLabelsTable;
    data_retention: DataRetentionTable;
  }
}

/**
 * Properties that many readings, or pieces of binary data, share. One row for each combination; names are as captured.
 */
export interface CapturesTable {
  id: Generated<number>;
  /** Digest of the columns from `is_binary` to `mime_type`. */
  digest: string;
  is_binary: number;
  organization_id: string;
  location_id: string;
  machine_id: string;
  machine_name: string;
  part_id: string;
  part_name: string;
  /** A triplet in our spelling; '' for a file that belongs to no resource. */
  component_type: string;
  component_name: string;
  method_name: string;
  /** JSON with sorted keys. */
  parameters: string;
  /** Tags of readings: JSON, sorted. Binary data has its own tags. */
  tags: string;
  mime_type: string;
  /** Of the data that exists now: rows, bytes of payloads or blobs, and the first and last `received_at`. */
  count: number;
  bytes: number;
  first_at: number | null;
  last_at: number | null;
}

export interface CaptureTagsTable {
  capture_id: number;
  tag: string;
}

/** One call that stored something. */
export interface UploadsTable {
  number: Generated<number>;
  /** Id for senders and events. */
  id: string;
  /** Digest of the part and the sender's id of the upload; null if there is none. */
  sender_key: string | null;
  capture_id: number;
  type: 'binary' | 'tabular' | 'file' | 'unspecified';
  count: number;
  min_received: number;
  max_received: number;
  /** By the clock of the hub. */
  synced_at: number;
  /** The same by the clock for the age of data, which never goes back. */
  ages_from: number;
}

export interface ReadingsTable {
  /** {@link firstReadingOf} its upload, plus its index there. */
  id: number;
  capture_id: number;
  requested_at: number;
  received_at: number;
  /** A JSON object. */
  payload: string;
}

export interface BinaryDataTable {
  /** Number of its upload; `id` is that of the upload too. */
  number: number;
  id: string;
  capture_id: number;
  requested_at: number;
  received_at: number;
  sha256: string;
  bytes: number;
  /** As it was sent: only for display, never used as a path. */
  file_name: string;
  file_ext: string;
}

export interface BinaryTagsTable {
  binary_number: number;
  tag: string;
}

/** A box in a picture or, without edges, a class of the whole picture. */
export interface BinaryLabelsTable {
  id: string;
  binary_number: number;
  label: string;
  /** Null for a label that a person has given. */
  confidence: number | null;
  x_min: number | null;
  y_min: number | null;
  x_max: number | null;
  y_max: number | null;
}

export interface DataRetentionTable {
  organization_id: string;
  /** 0 means forever. */
  readings_days: number;
  binary_days: number;
}

/** Ids that are reserved for the readings of one upload: ids stay below 2^53 for 2^36 uploads. */
const READINGS_PER_UPLOAD = 2 ** 17;

/** Id of the first reading of an upload. Those of the next upload begin at `firstReadingOf(number + 1)`. */
export function firstReadingOf(number: number): number {
  return number * READINGS_PER_UPLOAD;
}

/** Number of the upload that contained a reading. */
export function uploadOf(readingId: number): number {
  return Math.floor(readingId / READINGS_PER_UPLOAD);
}
