import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArmatureError } from '../../base/errors.ts';
import { diskError } from '../blobs/folder-place.ts';
import { datasetLine, type DatasetPurpose } from './dataset-file.ts';
import { isPicture, pictureFileName } from './picture-file-name.ts';
import type { DatasetSnapshots, Snapshot } from './snapshots.ts';

/** File with a line for each picture, and folder of the pictures. */
export const DATASET_FILE = 'dataset.jsonl';
export const PICTURES_FOLDER = 'data';

export interface WriteDatasetOptions extends DatasetPurpose {
  readonly snapshots: Pick<DatasetSnapshots, 'items' | 'bytes'>;
  /** Put before `data/...` in each line: where a reader finds the folder. '' means relative to the file. */
  readonly prefix?: string;
  /** Stops between two pictures. */
  readonly signal?: AbortSignal;
}

/** What was written. */
export interface WrittenDataset {
  readonly pictures: number;
  /** Files that are no pictures, and pictures with several labels where the task allows one. */
  readonly leftOut: number;
}

/**
 * Writes the files of a snapshot that a training script reads: `dataset.jsonl` with a line for each picture, in the
 * public format, and the pictures in `data/`. The pictures are copies, because a script may change them.
 * @param folder has to be empty; created if it does not exist
 * @throws {ArmatureError} `file.unwritable`, `store.full`, `store.corrupt`; the reason of `signal`
 */
export async function writeDataset(
  { id }: Pick<Snapshot, 'id'>,
  folder: string,
  { snapshots, prefix = '', signal, ...purpose }: WriteDatasetOptions,
): Promise<WrittenDataset> {
  const lines = path.join(folder, DATASET_FILE);
  try {
    await mkdir(path.join(folder, PICTURES_FOLDER), { recursive: true });
    await using file = await open(lines, 'wx');
    let [pictures, leftOut] = [0, 0];
    for await (const item of snapshots.items(id)) {
      signal?.throwIfAborted();
      const name = `${PICTURES_FOLDER}/${pictureFileName(item)}`;
      const line = isPicture(item) ? datasetLine(item, `${prefix}${name}`, purpose) : undefined;
      if (line === undefined) {
        leftOut++;
        continue;
      }
      await pipeline(await snapshots.bytes(item), createWriteStream(path.join(folder, name), { flags: 'wx' }));
      await file.write(`${JSON.stringify(line)}\n`);
      pictures++;
    }
    await file.sync();
    return { pictures, leftOut };
  } catch (thrown) {
    throw thrown instanceof ArmatureError || signal?.aborted === true ? thrown : diskError(thrown, lines);
  }
}
