/** Longest line that is kept; the rest is cut. */
export const LONGEST_LINE_BYTES = 64 * 1024;
export const CUT_MARK = '… (cut: the line is longer than 64 KiB)';

const NEWLINE = 10;
const RETURN = 13;

/**
 * Splits the output of a process into lines of any length, with bounded memory. For a line that is not wanted, it only
 * looks for the end.
 */
export class LineSplitter {
  readonly #isWanted: () => boolean;
  readonly #onLine: (line: Buffer, isCut: boolean) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #isCut = false;

  /**
   * @param isWanted called once for each line, when its end has been read
   * @param onLine gets a view that is valid only during the call
   */
  constructor(isWanted: () => boolean, onLine: (line: Buffer, isCut: boolean) => void) {
    this.#isWanted = isWanted;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const isWhole = this.#size === 0 && !this.#isCut && at - from <= LONGEST_LINE_BYTES;
      if (!isWhole) {
        this.#keep(chunk.subarray(from, at));
        this.#flush();
      } else if (this.#isWanted()) this.#emit(chunk.subarray(from, at), false);
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** The last line, if it does not end with a line feed. */
  end(): void {
    if (this.#size > 0) this.#flush();
  }

  #keep(bytes: Buffer): void {
    const room = LONGEST_LINE_BYTES - this.#size;
    if (bytes.length > room) this.#isCut = true;
    if (room <= 0 || bytes.length === 0) return;
    const kept = bytes.subarray(0, room);
    // Copied, so that a few bytes do not keep the whole chunk in memory.
    this.#parts.push(Buffer.from(kept));
    this.#size += kept.length;
  }

  #flush(): void {
    const line =
      this.#parts.length === 1 ? (this.#parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.#parts, this.#size);
    const isCut = this.#isCut;
    this.#parts = [];
    this.#size = 0;
    this.#isCut = false;
    if (this.#isWanted()) this.#emit(line, isCut);
  }

  #emit(line: Buffer, isCut: boolean): void {
    const end = !isCut && line.length > 0 && line[line.length - 1] === RETURN ? line.length - 1 : line.length;
    this.#onLine(line.subarray(0, end), isCut);
  }
}
