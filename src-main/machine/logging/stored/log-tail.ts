import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { appendFile, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogEntry } from '../log-entry.ts';
import { NUMBERS_FILE } from './sequence-numbers.ts';
import { fromStoredLine } from './stored-line.ts';

/** Lines that are not in the database yet, a file in the log's folder: one line of `stored-line.ts` each, in order. */
export const TAIL_FILE = 'tail.jsonl';

/**
 * The newest lines of the stored log, until older ones are read: a file to which lines are appended, so that a machine
 * that hardly logs needs no thread for its database. When that thread starts, it imports the file ({@link takeTail}),
 * and nothing is appended from then on.
 */
export class LogTail {
  readonly #file: string;
  readonly #numbers: string;
  readonly #maxBytes: number;
  #bytes: number;
  #hasAdded = false;
  /** A line cut off by a full disk must not become the start of the next one. */
  #isTorn: boolean;

  /** Throws as the file system does. */
  constructor(folder: string, maxBytes: number) {
    this.#file = path.join(folder, TAIL_FILE);
    this.#numbers = path.join(folder, NUMBERS_FILE);
    this.#maxBytes = maxBytes;
    this.#bytes = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    // A killed run may have left an incomplete line.
    this.#isTorn = this.#bytes > 0;
  }

  hasRoomFor(text: string): boolean {
    return this.#bytes + Buffer.byteLength(text) <= this.#maxBytes;
  }

  /** Adds lines. Rejects with errors of the file system; some lines may have been written then. */
  async add(text: string): Promise<void> {
    if (!this.#hasAdded) await this.#begin();
    const bytes = this.#whole(text);
    this.#bytes += bytes.length;
    this.#isTorn = true;
    await appendFile(this.#file, bytes, { mode: 0o600 });
    this.#isTorn = false;
  }

  /** The lines so far, in order. Rejects as the file system does. */
  async read(): Promise<readonly LogEntry[]> {
    const text = this.#bytes === 0 ? '' : await readFile(this.#file, 'utf8');
    return text.split('\n').flatMap((line) => fromStoredLine(line) ?? []);
  }

  /** Adds lines synchronously; they are on the disk when it returns: the last entries of a program. */
  addSync(text: string): void {
    const descriptor = openSync(this.#file, 'a', 0o600);
    try {
      appendFileSync(descriptor, this.#whole(text));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #whole(text: string): Buffer {
    return Buffer.from(this.#isTorn ? `\n${text}` : text);
  }

  /** Flushes the reserved numbers to the disk: a loss of power must not bring a number back. */
  async #begin(): Promise<void> {
    this.#hasAdded = true;
    try {
      const numbers = await open(this.#numbers, 'r+');
      await numbers.sync().finally(() => numbers.close());
    } catch {
      // Best effort: surviving a kill does not need it.
    }
  }
}

/**
 * Moves the lines of a tail to the database, and deletes the file when they are on the disk. Throws errors of the file
 * system and of `target`; the file stays then.
 */
export function takeTail(
  folder: string,
  target: { readonly insert: (text: string) => void; readonly sync: () => void },
): void {
  const file = path.join(folder, TAIL_FILE);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return;
  target.insert(readFileSync(file, 'utf8'));
  target.sync();
  rmSync(file);
}
