import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ArmatureError, isNoSpace, toArmatureError } from '../../base/errors.ts';
import type { BlobKey, BlobPlace } from './blob-place.ts';

/** How much is read from the disk at a time. */
const CHUNK_BYTES = 256 * 1024;

/** Blobs as files of a folder, `<folder>/<area>/<sha256>`. */
export class FolderPlace implements BlobPlace {
  readonly name: string;

  /** @param folder created with the first blob */
  constructor(folder: string) {
    this.name = folder;
  }

  /** Moves the file, which must be on the same file system. */
  async put(key: BlobKey, file: string): Promise<void> {
    const place = this.#pathOf(key);
    const folder = path.dirname(place);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(file, place);
      const handle = await open(folder, 'r');
      await handle.sync().finally(() => handle.close());
    } catch (thrown) {
      throw diskError(thrown, place);
    }
  }

  async open(key: BlobKey, bytes: number, start: number): Promise<Readable> {
    const place = this.#pathOf(key);
    const file = await open(place, 'r').catch(() => undefined);
    const size = await file?.stat().then((stat) => stat.size);
    if (file !== undefined && size === bytes) return file.createReadStream({ start, highWaterMark: CHUNK_BYTES });
    await file?.close();
    throw damaged(place, size, bytes);
  }

  remove(key: BlobKey): Promise<void> {
    return rm(this.#pathOf(key), { force: true });
  }

  failure(thrown: unknown): unknown {
    return thrown;
  }

  #pathOf({ area, sha256 }: BlobKey): string {
    return path.join(this.name, area, sha256);
  }
}

/** The error for a blob that is missing or incomplete. */
export function damaged(place: string, found: number | undefined, bytes: number): ArmatureError {
  const why = found === undefined ? 'is missing' : `has ${found} bytes instead of ${bytes}`;
  return new ArmatureError('store.corrupt', `The file ${place} of the hub ${why}. Restore it from a backup.`, {
    details: { path: place },
  });
}

/** The error for a failed write to the hub's disk. */
export function diskError(thrown: unknown, place: string): ArmatureError {
  if (isNoSpace(thrown)) {
    return new ArmatureError(
      'store.full',
      `The disk of the hub is full and the file was not stored (${place}): free some space, then upload it again.`,
      { cause: thrown },
    );
  }
  return new ArmatureError(
    'file.unwritable',
    `The file cannot be stored in ${place}: ${toArmatureError(thrown).message}.`,
    { details: { path: place }, cause: thrown },
  );
}
