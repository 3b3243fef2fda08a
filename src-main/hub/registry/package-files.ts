import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';

const UPLOADS = 'uploads';
const SHA256 = /^[0-9a-f]{64}$/;

/** A package that is being received: a file of its own until it is kept. */
export class PartFile {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(place: string, file: FileHandle) {
    this.path = place;
    this.#file = file;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws {ArmatureError} `store.full`, `file.unwritable` */
  async write(chunk: Uint8Array): Promise<void> {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    try {
      for (let done = 0; done < chunk.length;) {
        done += (await this.#file.write(chunk, done)).bytesWritten;
      }
    } catch (thrown) {
      throw diskError(thrown, this.path);
    }
  }

  /** Everything is received and on the disk. @returns its SHA-256 */
  async finish(): Promise<Buffer> {
    try {
      await this.#file.sync();
    } catch (thrown) {
      throw diskError(thrown, this.path);
    }
    return this.#hash.digest();
  }

  /** Lets go of the file, and removes it where it was not kept. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.path, { force: true });
  }
}

/** The bytes of packages: a file for each content, named by its SHA-256. */
export class PackageFiles {
  readonly folder: string;

  /** @param folder made with the first package */
  constructor(folder: string) {
    this.folder = folder;
  }

  /** @throws {ArmatureError} `store.full`, `file.unwritable` */
  async begin(): Promise<PartFile> {
    const uploads = path.join(this.folder, UPLOADS);
    const place = path.join(uploads, randomUUID());
    try {
      await mkdir(uploads, { recursive: true, mode: 0o700 });
      return new PartFile(place, await open(place, 'wx', 0o600));
    } catch (thrown) {
      throw diskError(thrown, place);
    }
  }

  /** Removes what uploads left that were cut off with the program. Before the first upload. */
  async removeUploads(): Promise<void> {
    await rm(path.join(this.folder, UPLOADS), { recursive: true, force: true });
  }

  /** Gives a received package its place. One that is there already is the same. */
  async keep(part: PartFile, sha256: string): Promise<void> {
    try {
      await rename(part.path, this.#placeOf(sha256));
      const folder = await open(this.folder, 'r');
      await folder.sync().finally(() => folder.close());
    } catch (thrown) {
      throw diskError(thrown, this.#placeOf(sha256));
    }
  }

  /**
   * Opens a package for reading; whoever asks closes it.
   * @param bytes as many as it must have
   * @throws {ArmatureError} `store.corrupt` where it is gone or cut
   */
  async read(sha256: string, bytes: number): Promise<FileHandle> {
    const place = this.#placeOf(sha256);
    const why = async (): Promise<string> => {
      const found = await stat(place).catch(() => undefined);
      return found === undefined ? 'is missing' : `has ${found.size} bytes instead of ${bytes}`;
    };
    const file = await open(place, 'r').catch(() => undefined);
    if (file !== undefined && (await file.stat()).size === bytes) return file;
    await file?.close();
    throw new ArmatureError(
      'store.corrupt',
      `The package ${place} ${await why()}. Restore that folder from a backup, or publish the module again as another version.`,
      { details: { path: place } },
    );
  }

  remove(sha256: string): Promise<void> {
    return rm(this.#placeOf(sha256), { force: true });
  }

  /** SHA-256 of every package that is there. */
  async list(): Promise<string[]> {
    const names = await readdir(this.folder).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code === 'ENOENT') return [];
      throw thrown;
    });
    return names.filter((name) => SHA256.test(name));
  }

  #placeOf(sha256: string): string {
    return path.join(this.folder, sha256);
  }
}

function diskError(thrown: unknown, place: string): ArmatureError {
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new ArmatureError(
      'store.full',
      `The disk of the hub is full and the package was not stored (${place}): free some space, then upload it again.`,
      { cause: thrown },
    );
  }
  return new ArmatureError(
    'file.unwritable',
    `The package cannot be stored in ${place}: ${toArmatureError(thrown).message}.`,
    {
      details: { path: place },
      cause: thrown,
    },
  );
}
