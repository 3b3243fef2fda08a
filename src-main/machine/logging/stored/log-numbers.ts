import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * How many numbers a run claims before it uses them. A run that was killed costs what is left of them: its numbers were
 * perhaps shown to somebody, so the next run does not use them again.
 */
export const CLAIM = 1_000_000;

/** The file of a log's numbers, in its folder. */
export const NUMBERS_FILE = 'numbers';

/** The numbers of a log, over its runs: none is given twice, also where the lines themselves are lost. */
export class LogNumbers {
  /** The number that this run begins with. */
  readonly first: number;
  readonly #file: string;
  #claimed: number;

  /**
   * Claims numbers for this run. Throws as the file system does.
   * @param unknown the first number where the folder does not say it
   */
  constructor(folder: string, unknown: () => number) {
    this.#file = path.join(folder, NUMBERS_FILE);
    this.first = readNumber(this.#file) ?? unknown();
    this.#claimed = this.first + CLAIM;
    this.#write(this.#claimed);
  }

  /** Claims more in time. */
  use(seq: number): void {
    if (seq < this.#claimed - CLAIM / 2) return;
    this.#claimed = seq + CLAIM;
    try {
      this.#write(this.#claimed);
    } catch {
      // A full disk: half of what was claimed is left, so it is tried again soon.
      this.#claimed = seq + CLAIM / 2 + CLAIM / 100;
    }
  }

  /** The run ends in order after this number: the next one goes on with the number after it. */
  end(lastSeq: number): void {
    try {
      this.#write(lastSeq + 1);
    } catch {
      // A full disk: the next run leaves a gap, which is what it is for.
    }
  }

  #write(number: number): void {
    const next = `${this.#file}.new`;
    writeFileSync(next, `${number}\n`, { mode: 0o600 });
    renameSync(next, this.#file);
  }
}

function readNumber(file: string): number | undefined {
  try {
    const number = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(number) && number > 0 ? number : undefined;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw thrown;
  }
}
