import type { DatasetCounts, TrainingTask } from '../../../../proto/config/datasets/training-rules.ts';
import type { Datasets } from '../../datasets/datasets.ts';
import { countLabels, countPictures, labelsOfDataset } from '../../labelling/label-counts.ts';
import type { DatasetSnapshots, Snapshot } from '../../labelling/snapshots.ts';
import { writeDataset } from '../../labelling/write-dataset.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Store } from '../../storage/store.ts';
import type { WriteTransaction } from '../../storage/tables.ts';

/** The current content of a dataset. */
export interface DatasetSummary {
  readonly name: string;
  /** Counts for all labels. */
  readonly counts: DatasetCounts;
}

/** What a job is to learn. */
export interface JobPurpose {
  /** Undefined for a script of the registry, which has its own task. */
  readonly task: TrainingTask | undefined;
  readonly labels: readonly string[];
}

export interface TrainingDatasetsOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  readonly snapshots: DatasetSnapshots;
}

/** Gives training the counts of datasets, and the snapshots that jobs train on. */
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

  /** Counts with `severalTags` for the labels that are to be learned. */
  async chosen(datasetId: string, counts: DatasetCounts, labels: readonly string[]): Promise<DatasetCounts> {
    const severalTags = labels.length === 0 ? 0 : (await this.#count(datasetId, labels)).severalTags;
    return { ...counts, severalTags };
  }

  /**
   * A snapshot of the dataset in its current state, for a job.
   * @throws {ArmatureError} `call.not_found`, `call.failed_precondition` if the dataset is empty
   */
  freeze(datasetId: string, tx: WriteTransaction): Promise<Snapshot> {
    return this.#options.snapshots.current(datasetId, tx);
  }

  /**
   * Writes a snapshot into an empty folder: the pictures, and `dataset.jsonl` in the format of training scripts.
   * @throws {ArmatureError} `call.not_found` if it was deleted, `store.full`, `file.unwritable`
   */
  async write(snapshotId: string, folder: string, { task, labels }: JobPurpose): Promise<void> {
    const { snapshots } = this.#options;
    const snapshot = await snapshots.get(snapshotId);
    // Multi-label models and detectors need pictures with other labels too, to learn to find nothing in them.
    await writeDataset(snapshot, folder, { snapshots, task, labels: task === 'singleLabel' ? labels : [] });
  }

  async #count(datasetId: string, labels: readonly string[]): Promise<DatasetCounts> {
    const { db } = this.#options.store;
    return countLabels(labelsOfDataset(datasetId), await countPictures(datasetId, db), labels, db);
  }
}
