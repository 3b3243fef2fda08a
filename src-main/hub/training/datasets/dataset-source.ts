import type { DatasetCounts } from '../../../../proto/config/datasets/training-rules.ts';

/** What is in a dataset now. */
export interface DatasetSummary {
  readonly organizationId: string;
  readonly name: string;
  readonly counts: DatasetCounts;
}

/** A copy of a dataset that nobody changes any more. */
export interface DatasetSnapshot {
  readonly id: string;
  /** For people; of two copies of a dataset the later one has the higher number. */
  readonly number: number;
}

/** Where datasets come from. A job trains on a copy that nobody changes any more. */
export interface DatasetSource {
  /** @throws {ArmatureError} `call.not_found` */
  summary(datasetId: string): Promise<DatasetSummary>;
  /** How many of its pictures have more than one of these tags and classes. */
  severalTags(datasetId: string, labels: readonly string[]): Promise<number>;
  /**
   * Copies a dataset as it is now.
   * @throws {ArmatureError} `call.not_found`, `store.full`, `file.unwritable`
   */
  freeze(datasetId: string): Promise<DatasetSnapshot>;
  /**
   * Writes a copy into an empty folder: pictures, and `dataset.jsonl` as training scripts read it.
   * @throws {ArmatureError} `call.not_found` where the copy was released, `store.full`, `file.unwritable`
   */
  write(snapshotId: string, folder: string): Promise<void>;
  /** Lets go of a copy: its job is over. One that is not there is no error. */
  release(snapshotId: string): Promise<void>;
}
