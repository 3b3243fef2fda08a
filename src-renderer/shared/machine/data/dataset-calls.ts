import type { DatasetCounts } from '../../../../proto/config/datasets/training-rules.ts';
import type { BinaryMetadata } from '../../../../proto/gen/core/app/data/v1/data.ts';
import type { Dataset } from '../../../../proto/gen/core/app/dataset/v1/dataset.ts';
import type { ChangeLabelsRequest, DatasetSnapshot } from '../../../../proto/gen/core/hub/v1/dataset.ts';
import type { ItemFilter } from './data-calls.ts';

/** Which pictures of a dataset are meant; what is '' restricts nothing. */
export interface DatasetFilter {
  readonly labelled: '' | 'yes' | 'no';
  readonly tag: string;
  readonly boxLabel: string;
}

/** Ids of pictures in their order, and how many there are: of very many only the first are named. */
export interface DatasetPictures {
  readonly ids: readonly string[];
  readonly total: number;
}

export type DatasetFileFormat = 'coco' | 'yolo' | 'jsonl';

export type ExportedDataset = { readonly datasetId: string } | { readonly snapshotId: string };

export interface ImportedPictures {
  readonly added: number;
  /** That the dataset had already. */
  readonly known: number;
}

/** Datasets, as the hub of this page has them. Calls reject with an `Error` whose message is a sentence for people. */
export interface DatasetCalls {
  list(organizationId: string, signal: AbortSignal): Promise<readonly Dataset[]>;
  /** undefined where there is none, or it may not be seen. */
  get(id: string, signal: AbortSignal): Promise<Dataset | undefined>;
  /** @returns its id */
  create(organizationId: string, name: string): Promise<string>;
  rename(id: string, name: string): Promise<void>;
  /** Its pictures stay; its snapshots go. */
  delete(id: string): Promise<void>;
  count(id: string, signal: AbortSignal): Promise<DatasetCounts>;
  pictures(id: string, filter: DatasetFilter, signal: AbortSignal): Promise<DatasetPictures>;
  /** What is known of some pictures, in the order of their ids; those that are gone are left out. At most 1000. */
  metadata(ids: readonly string[], signal: AbortSignal): Promise<readonly BinaryMetadata[]>;
  add(id: string, pictureIds: readonly string[]): Promise<void>;
  /** @returns how many were not there before */
  addByFilter(id: string, filter: ItemFilter): Promise<number>;
  remove(id: string, pictureIds: readonly string[]): Promise<void>;
  changeLabels(change: ChangeLabelsRequest): Promise<void>;
  snapshots(id: string, signal: AbortSignal): Promise<readonly DatasetSnapshot[]>;
  createSnapshot(id: string, note: string): Promise<DatasetSnapshot>;
  deleteSnapshot(snapshotId: string): Promise<void>;
  /** Pictures and labels as a `.tar.gz`, in pieces: of a dataset as it is now, or of a snapshot. */
  export(of: ExportedDataset, format: DatasetFileFormat, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Puts the pictures of such an archive into a dataset. They are data of this part from then on. */
  import(id: string, partId: string, archive: Blob, signal: AbortSignal): Promise<ImportedPictures>;
}
