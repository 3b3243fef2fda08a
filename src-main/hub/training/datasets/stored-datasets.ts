import { createWriteStream } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UNKNOWN_LABEL, type DatasetCounts } from '../../../../proto/config/datasets/training-rules.ts';
import type { Annotations } from '../../../../proto/gen/core/app/data/v1/data.ts';
import { ArmatureError, codeOf } from '../../../base/errors.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import { annotationsOf } from '../../data/binary/binary-labels.ts';
import { binaryRows, type BinaryRow } from '../../data/binary/binary-rows.ts';
import type { Datasets } from '../../datasets/datasets.ts';
import { countLabels, countPictures, labelsOfDataset } from '../../labelling/label-counts.ts';
import { DATASET_FILE } from '../../labelling/write-dataset.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';
import { type DatasetSnapshot, type DatasetSource, type DatasetSummary } from './dataset-source.ts';

/** Number of the copy that was made last. */
const LAST_SNAPSHOT = 'training.last_snapshot';
const PAGE = 500;
const PICTURE_FILE = /^\.?(jpe?g|png|webp|bmp|gif)$/i;

interface DatasetPicture {
  readonly row: BinaryRow;
  readonly mimeType: string;
  readonly annotations: Annotations;
  readonly tags: readonly string[];
}

export interface StoredDatasetsOptions {
  readonly store: Store;
  readonly datasets: Datasets;
  /** Bytes of captured pictures. */
  readonly blobs: Blobs;
  /** Of the copies; made where it is not there. */
  readonly folder: string;
}

/** Datasets of this hub. A copy is a folder, because its pictures may be deleted while it is trained on. */
export class StoredDatasets implements DatasetSource {
  readonly #options: StoredDatasetsOptions;

  constructor(options: StoredDatasetsOptions) {
    this.#options = options;
  }

  async summary(datasetId: string): Promise<DatasetSummary> {
    const { organization_id: organizationId, name } = await this.#options.datasets.get(datasetId);
    return { organizationId, name, counts: await this.#count(datasetId, []) };
  }

  async severalTags(datasetId: string, labels: readonly string[]): Promise<number> {
    return labels.length === 0 ? 0 : (await this.#count(datasetId, labels)).severalTags;
  }

  async freeze(datasetId: string): Promise<DatasetSnapshot> {
    await this.#options.datasets.get(datasetId);
    const number = await this.#nextNumber();
    const id = String(number);
    const draft = `${this.#place(id)}.draft`;
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 });
      const lines: string[] = [];
      for await (const picture of this.#pictures(datasetId)) {
        const file = fileNameOf(picture);
        await this.#copyPicture(picture.row, path.join(draft, file));
        lines.push(`${JSON.stringify(lineOf(picture, file))}\n`);
      }
      await writeFile(path.join(draft, DATASET_FILE), lines.join(''));
      await rename(draft, this.#place(id));
      return { id, number };
    } catch (thrown) {
      await rm(draft, { recursive: true, force: true });
      throw diskFailure(thrown, draft);
    }
  }

  async write(snapshotId: string, folder: string): Promise<void> {
    try {
      // A copy again: a script that changes its pictures changes its own.
      await cp(this.#place(snapshotId), folder, { recursive: true });
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') throw notFound('copy of a dataset', snapshotId);
      throw diskFailure(thrown, folder);
    }
  }

  async release(snapshotId: string): Promise<void> {
    await rm(this.#place(snapshotId), { recursive: true, force: true });
  }

  async #count(datasetId: string, labels: readonly string[]): Promise<DatasetCounts> {
    const { db } = this.#options.store;
    return countLabels(labelsOfDataset(datasetId), await countPictures(datasetId, db), labels, db);
  }

  #place(snapshotId: string): string {
    return path.join(this.#options.folder, snapshotId);
  }

  #nextNumber(): Promise<number> {
    return this.#options.store.transaction(async (tx) => {
      const next = Number((await readSetting(tx, LAST_SNAPSHOT)) ?? 0) + 1;
      await tx.deleteFrom('settings').where('name', '=', LAST_SNAPSHOT).execute();
      await tx
        .insertInto('settings')
        .values({ name: LAST_SNAPSHOT, value: String(next) })
        .execute();
      return next;
    });
  }

  async *#pictures(datasetId: string): AsyncGenerator<DatasetPicture> {
    const { db } = this.#options.store;
    for (let after = -1; ;) {
      const rows = await binaryRows(db)
        .innerJoin('dataset_members', 'dataset_members.binary_number', 'binary_data.number')
        .innerJoin('captures', 'captures.id', 'binary_data.capture_id')
        .select('captures.mime_type as mimeType')
        .where('dataset_members.dataset_id', '=', datasetId)
        .where('binary_data.number', '>', after)
        .orderBy('binary_data.number')
        .limit(PAGE)
        .execute();
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.number;
      const numbers = rows.map(({ number }) => number);
      const annotations = await annotationsOf(numbers, db);
      const tags = await db.selectFrom('binary_tags').selectAll().where('binary_number', 'in', numbers).execute();
      const tagsOf = Map.groupBy(tags, ({ binary_number }) => binary_number);
      for (const row of rows) {
        const { mimeType } = row;
        if (!mimeType.startsWith('image/') && !PICTURE_FILE.test(row.fileExt)) continue;
        yield {
          row,
          mimeType,
          annotations: annotations.get(row.number) ?? { bboxes: [], classifications: [] },
          tags: (tagsOf.get(row.number) ?? []).map(({ tag }) => tag),
        };
      }
    }
  }

  async #copyPicture({ sha256, bytes }: BinaryRow, file: string): Promise<void> {
    const blob = await this.#options.blobs.open(sha256, bytes);
    try {
      await pipeline(blob, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    } finally {
      blob.close();
    }
  }
}

/** Extensions are whatever a sender says: a name of a file here takes none that is not known. */
function fileNameOf({ row: { number, fileExt }, mimeType }: DatasetPicture): string {
  const [, extension = mimeType.slice('image/'.length)] = PICTURE_FILE.exec(fileExt) ?? [];
  return `${number}.${/^[a-z0-9]+$/i.test(extension) ? extension.toLowerCase() : 'picture'}`;
}

/** Tags count as classes, as in the public service. */
function classesOf({ annotations, tags }: DatasetPicture): string[] {
  return [...new Set([...annotations.classifications.map(({ label }) => label), ...tags])];
}

/** A line of the dataset file, as the public contract of training scripts has it. */
function lineOf(picture: DatasetPicture, file: string): object {
  const labels = classesOf(picture);
  return {
    image_path: file,
    classification_annotations: (labels.length === 0 ? [UNKNOWN_LABEL] : labels).map((annotation_label) => ({
      annotation_label,
    })),
    bounding_box_annotations: picture.annotations.bboxes.map((box) => ({
      id: box.id,
      annotation_label: box.label,
      x_min_normalized: box.xMinNormalized,
      y_min_normalized: box.yMinNormalized,
      x_max_normalized: box.xMaxNormalized,
      y_max_normalized: box.yMaxNormalized,
      ...(box.confidence === undefined ? {} : { confidence: box.confidence }),
    })),
    binary_data_id: picture.row.id,
    timestamp: new Date(picture.row.receivedAt).toISOString(),
  };
}

function diskFailure(thrown: unknown, place: string): unknown {
  switch (codeOf(thrown)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new ArmatureError('store.full', `The disk of ${place} is full: make room, and submit the job again.`, {
        cause: thrown,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new ArmatureError('file.unwritable', `${place} cannot be written: give the hub's user the right to.`, {
        cause: thrown,
      });
    default:
      return thrown;
  }
}
