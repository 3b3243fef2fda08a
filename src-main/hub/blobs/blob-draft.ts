import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { diskError } from './folder-place.ts';

/** A blob that is being received, in a temporary file until it is kept. */
export class BlobDraft {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(place: string, file: FileHandle) {
    this.path = place;
    this.#file = file;
  }

  /**
   * @param folder created if it does not exist
   * @throws {ArmatureError} `store.full`, `file.unwritable`
   */
  static async begin(folder: string): Promise<BlobDraft> {
    const place = path.join(folder, randomUUID());
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return new BlobDraft(place, await open(place, 'wx', 0o600));
    } catch (thrown) {
      throw diskError(thrown, place);
    }
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

  /** Ends the upload and syncs the file to the disk. @returns its SHA-256 */
  async finish(): Promise<Buffer> {
    try {
      await this.#file.sync();
    } catch (thrown) {
      throw diskError(thrown, this.path);
    }
    return this.#hash.digest();
  }

  /** Closes the file, and removes it unless it was kept. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.path, { force: true });
  }
}
