/** What is in a dataset, as far as it decides whether a model can learn from it. */
export interface DatasetSummary {
  readonly organizationId: string;
  readonly pictures: number;
  /** Pictures with a class, and with a box. */
  readonly classified: number;
  readonly boxed: number;
  /** Pictures by class, and boxes by label. */
  readonly classes: ReadonlyMap<string, number>;
  readonly boxes: ReadonlyMap<string, number>;
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
