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

/** What many readings, or pictures, have in common: once for each combination, with ids and names of the time of capture. */
export interface CapturesTable {
  id: Generated<number>;
  /** Of all columns up to `mime_type`. */
  digest: string;
  is_binary: number;
  organization_id: string;
  location_id: string;
  machine_id: string;
  machine_name: string;
  part_id: string;
  part_name: string;
  /** A triplet in our spelling; '' for a file of no resource. */
  component_type: string;
  component_name: string;
  method_name: string;
  /** JSON with sorted keys. */
  parameters: string;
  /** Of readings, JSON, sorted; binary data has its own. */
  tags: string;
  mime_type: string;
  /** Of what is there now: rows, bytes of payloads or blobs, times of the first and the last. */
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
  /** What its sender and events call it. */
  id: string;
  /** Digest of the part and of what the sender calls it; null where that is nothing. */
  sender_key: string | null;
  capture_id: number;
  type: 'binary' | 'tabular' | 'file' | 'unspecified';
  count: number;
  min_received: number;
  max_received: number;
  /** By the clock of the hub. */
  synced_at: number;
  /** The same in a time that only grows: by it, data grows old. */
  ages_from: number;
}

export interface ReadingsTable {
  /** {@link firstReadingOf} its upload, and its place there. */
  id: number;
  capture_id: number;
  requested_at: number;
  received_at: number;
  /** JSON: an object. */
  payload: string;
}

export interface BinaryDataTable {
  /** Of its upload, and so is `id`. */
  number: number;
  id: string;
  capture_id: number;
  requested_at: number;
  received_at: number;
  sha256: string;
  bytes: number;
  /** As it was sent: for people, never a path here. */
  file_name: string;
  file_ext: string;
}

export interface BinaryTagsTable {
  binary_number: number;
  tag: string;
}

/** A box in a picture or, without edges, a class of the whole. */
export interface BinaryLabelsTable {
  id: string;
  binary_number: number;
  label: string;
  /** Null where a person says so. */
  confidence: number | null;
  x_min: number | null;
  y_min: number | null;
  x_max: number | null;
  y_max: number | null;
}

export interface DataRetentionTable {
  organization_id: string;
  /** 0 is for ever. */
  readings_days: number;
  binary_days: number;
}

/** Readings that one upload may have, in numbers: ids stay below 2^53 for 2^36 uploads. */
const READINGS_PER_UPLOAD = 2 ** 17;

/** Id of the first reading of an upload; those of the next begin at that of `number + 1`. */
export function firstReadingOf(number: number): number {
  return number * READINGS_PER_UPLOAD;
}

/** Number of the upload that a reading came with. */
export function uploadOf(readingId: number): number {
  return Math.floor(readingId / READINGS_PER_UPLOAD);
}
