import { closeSync, openSync, readSync } from 'node:fs';

const FIRST_BYTES = 8_192;
const MAX_BYTES = 1_048_576;

/**
 * A file of /proc that is read repeatedly: it stays open, which saves most of the cost of a read. The kernel answers
 * from memory, so reading does not block.
 */
export class ProcFile {
  readonly #path: string;
  #file: number | undefined;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);

  constructor(path: string) {
    this.#path = path;
  }

  /** The whole content; undefined if there is no such file, or its process has ended. */
  read(): string | undefined {
    try {
      this.#file ??= openSync(this.#path, 'r');
      let length = 0;
      for (;;) {
        const count = readSync(this.#file, this.#buffer, length, this.#buffer.length - length, length);
        length += count;
        if (count === 0) return this.#buffer.toString('latin1', 0, length);
        if (length < this.#buffer.length) continue;
        if (length >= MAX_BYTES) return undefined;
        const larger = Buffer.allocUnsafe(length * 2);
        this.#buffer.copy(larger, 0, 0, length);
        this.#buffer = larger;
      }
    } catch {
      this.close();
      return undefined;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
