import type { DatasetCounts } from '../../../../proto/config/datasets/training-rules.ts';
import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { Dataset } from '../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import type { ChangeLabelsRequest, DatasetSnapshot } from '../../../../proto/gen/core/hub/v1/dataset.ts';
import type { ItemFilter } from './data-calls.ts';

/** Filter of the pictures of a dataset; '' does not restrict. */
export interface DatasetFilter {
  readonly labelled: '' | 'yes' | 'no';
  readonly tag: string;
  readonly boxLabel: string;
}

/** Ids of pictures in their order, and the total: of very many, only the first ids are given. */
export interface DatasetPictures {
  readonly ids: readonly string[];
  readonly total: number;
}

export type DatasetFileFormat = 'coco' | 'yolo' | 'jsonl';

export type ExportedDataset = { readonly datasetId: string } | { readonly snapshotId: string };

export interface ImportedPictures {
  readonly added: number;
  /** Pictures that the dataset had already. */
  readonly known: number;
}

/** Datasets of this page's hub. Calls reject with an `Error` whose message is a sentence for people. */
export interface DatasetCalls {
  list(organizationId: string, signal: AbortSignal): Promise<readonly Dataset[]>;
  /** Undefined if there is none or the caller may not see it. */
  get(id: string, signal: AbortSignal): Promise<Dataset | undefined>;
  /** @returns its id */
  create(organizationId: string, name: string): Promise<string>;
  rename(id: string, name: string): Promise<void>;
  /** Keeps its pictures, but deletes its snapshots. */
  delete(id: string): Promise<void>;
  count(id: string, signal: AbortSignal): Promise<DatasetCounts>;
  pictures(id: string, filter: DatasetFilter, signal: AbortSignal): Promise<DatasetPictures>;
  /** Metadata of up to 1000 pictures, in the order of the ids; deleted pictures are left out. */
  metadata(ids: readonly string[], signal: AbortSignal): Promise<readonly BinaryMetadata[]>;
  add(id: string, pictureIds: readonly string[]): Promise<void>;
  /** @returns how many were added */
  addByFilter(id: string, filter: ItemFilter): Promise<number>;
  remove(id: string, pictureIds: readonly string[]): Promise<void>;
  changeLabels(change: ChangeLabelsRequest): Promise<void>;
  snapshots(id: string, signal: AbortSignal): Promise<readonly DatasetSnapshot[]>;
  createSnapshot(id: string, note: string): Promise<DatasetSnapshot>;
  deleteSnapshot(snapshotId: string): Promise<void>;
  /** Pictures and labels as a `.tar.gz`, in pieces, of the current dataset or of a snapshot. */
  export(of: ExportedDataset, format: DatasetFileFormat, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Adds the pictures of such an archive to a dataset, as data of this part. */
  import(id: string, partId: string, archive: Blob, signal: AbortSignal): Promise<ImportedPictures>;
}
