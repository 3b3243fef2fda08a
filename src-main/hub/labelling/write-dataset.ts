import { createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ArmatureError } from '../../base/errors.ts';
import { diskError } from '../blobs/folder-place.ts';
import { datasetLine, type DatasetPurpose } from './dataset-file.ts';
import { isPicture, pictureFileName } from './picture-file-name.ts';
import type { DatasetSnapshots, Snapshot } from './snapshots.ts';

/** The file of lines, and the folder of the pictures that it names. */
export const DATASET_FILE = 'dataset.jsonl';
export const PICTURES_FOLDER = 'data';

export interface WriteDatasetOptions extends DatasetPurpose {
  readonly snapshots: Pick<DatasetSnapshots, 'items' | 'bytes'>;
  /** Where whoever reads the file finds the folder: before `data/...` in each line. Nothing is the folder of the file. */
  readonly prefix?: string;
  /** Gives up between two pictures. */
  readonly signal?: AbortSignal;
}

/** What was written. */
export interface WrittenDataset {
  readonly pictures: number;
  /** Pictures with several labels, where one was wanted, and what is no picture. */
  readonly leftOut: number;
}

/**
 * Writes the files of a snapshot that a training script reads: `dataset.jsonl`, a line for each picture in the public
 * contract, and the pictures in `data/`. They are copies, because a script may change what it is given.
 * @param folder made where it is not there; is to be empty
 * @throws {ArmatureError} `file.unwritable`, `store.full`, `store.corrupt`; what `signal` is aborted with
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
