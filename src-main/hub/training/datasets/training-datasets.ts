import type { DatasetCounts, TrainingTask } from '../../../../proto/config/datasets/training-rules.ts';
import type { Datasets } from '../../datasets/datasets.ts';
import { countLabels, countPictures, labelsOfDataset } from '../../labelling/label-counts.ts';
import type { DatasetSnapshots, Snapshot } from '../../labelling/snapshots.ts';
import { writeDataset } from '../../labelling/write-dataset.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/tables.ts';

/** What is in a dataset now. */
export interface DatasetSummary {
  readonly name: string;
  /** Of all labels, but for `severalTags` where some are chosen, which is of these. */
  readonly counts: DatasetCounts;
}

/** What a job is to learn. */
export interface JobPurpose {
  /** Undefined for a script of the registry, which knows for itself. */
  readonly task: TrainingTask | undefined;
  readonly labels: readonly string[];
}

export interface TrainingDatasetsOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  readonly snapshots: DatasetSnapshots;
}

/** Datasets as training needs them: what is in one now, and snapshots, which jobs train on. */
export class TrainingDatasets {
  readonly #options: TrainingDatasetsOptions;

  constructor(options: TrainingDatasetsOptions) {
    this.#options = options;
  }

  /** @throws {ArmatureError} `call.not_found`, also for a dataset of another organization */
  async summary(organizationId: string, datasetId: string): Promise<DatasetSummary> {
    const dataset = await this.#options.datasets.get(datasetId);
    if (dataset.organization_id !== organizationId) throw notFound('dataset', datasetId);
    return { name: dataset.name, counts: await this.#count(datasetId, []) };
  }

  /** The same counts, with regard to the labels that are to be learned. */
  async chosen(datasetId: string, counts: DatasetCounts, labels: readonly string[]): Promise<DatasetCounts> {
    const severalTags = labels.length === 0 ? 0 : (await this.#count(datasetId, labels)).severalTags;
    return { ...counts, severalTags };
  }

  /**
   * The snapshot that a job trains on: of the dataset as it is now.
   * @throws {ArmatureError} `call.not_found`, `call.failed_precondition` where it is empty
   */
  freeze(datasetId: string, tx: WriteTransaction): Promise<Snapshot> {
    return this.#options.snapshots.current(datasetId, tx);
  }

  /**
   * Writes a snapshot into an empty folder: pictures, and `dataset.jsonl` as training scripts read it.
   * @throws {ArmatureError} `call.not_found` where it is deleted, `store.full`, `file.unwritable`
   */
  async write(snapshotId: string, folder: string, { task, labels }: JobPurpose): Promise<void> {
    const { snapshots } = this.#options;
    const snapshot = await snapshots.get(snapshotId);
    // Pictures of other labels are what a model of several labels, and a detector, is to be silent about.
    await writeDataset(snapshot, folder, { snapshots, task, labels: task === 'singleLabel' ? labels : [] });
  }

  async #count(datasetId: string, labels: readonly string[]): Promise<DatasetCounts> {
    const { db } = this.#options.store;
    return countLabels(labelsOfDataset(datasetId), await countPictures(datasetId, db), labels, db);
  }
}
