import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * How many sequence numbers a run reserves before it uses them. A killed run loses the rest: a reader may have seen its
 * numbers, so the next run does not use them again.
 */
export const CLAIM_SIZE = 1_000_000;

/** The file of a log's numbers, in its folder. */
export const NUMBERS_FILE = 'numbers';

/** The sequence numbers of a log across runs: none is used twice, even if the lines themselves are lost. */
export class SequenceNumbers {
  /** The first number of this run. */
  readonly first: number;
  readonly #file: string;
  #claimed: number;

  /**
   * Reserves numbers for this run. Throws errors of the file system.
   * @param unknown the first number if the folder does not state it
   */
  constructor(folder: string, unknown: () => number) {
    this.#file = path.join(folder, NUMBERS_FILE);
    this.first = readNumber(this.#file) ?? unknown();
    this.#claimed = this.first + CLAIM_SIZE;
    this.#write(this.#claimed);
  }

  /** Reserves more before they run out. */
  use(seq: number): void {
    if (seq < this.#claimed - CLAIM_SIZE / 2) return;
    this.#claimed = seq + CLAIM_SIZE;
    try {
      this.#write(this.#claimed);
    } catch {
      // A full disk: half of the reserved numbers are left, and it is retried soon.
      this.#claimed = seq + CLAIM_SIZE / 2 + CLAIM_SIZE / 100;
    }
  }

  /** The run ends cleanly after this number: the next one continues with the number after it. */
  end(lastSeq: number): void {
    try {
      this.#write(lastSeq + 1);
    } catch {
      // A full disk: the next run leaves a gap for these numbers.
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
