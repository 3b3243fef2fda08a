import { closeSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { ArmatureError } from '../../../base/errors.ts';
import { writeAll, writeAllSync } from './descriptor-write.ts';
import { formatLine } from './line-format.ts';
import { LineWriter, type LineTarget } from './line-writer.ts';

export interface LogFileLimits {
  /** A file is rotated before it grows beyond this. */
  readonly maxBytes: number;
  /** Number of files, including the current one. */
  readonly files: number;
}

/** 10 files of 10 MB. */
export const defaultLogFileLimits: LogFileLimits = { maxBytes: 10 * 1024 * 1024, files: 10 };

/**
 * Logs to a file. The lines of an earlier run are rotated at once: `x.log` becomes `x.log.1`, `x.log.1` becomes
 * `x.log.2`, and so on. Throws `file.unwritable` if the file cannot be opened.
 */
export function openLogFile(path: string, limits: LogFileLimits, onTrouble: (message: string) => void): LineWriter {
  try {
    return new LineWriter(`the log file ${path}`, new RotatingFile(path, limits), onTrouble, formatLine);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new ArmatureError(
      'file.unwritable',
      `The log file ${path} cannot be written: ${reason}. Name another with -log-file, or mend its folder.`,
      { details: { path }, cause: thrown },
    );
  }
}

class RotatingFile implements LineTarget {
  readonly #path: string;
  readonly #limits: LogFileLimits;
  #descriptor: number;
  #size = 0;

  constructor(path: string, limits: LogFileLimits) {
    this.#path = path;
    this.#limits = limits;
    // Only lines of an earlier run are rotated: a device such as /dev/null or an empty file stays.
    const existing = statSync(path, { throwIfNoEntry: false });
    if (existing?.isFile() === true && existing.size > 0) this.#shift();
    this.#descriptor = this.#open();
  }

  async write(text: string): Promise<void> {
    const bytes = this.#prepare(text);
    await writeAll(this.#descriptor, bytes);
    this.#size += bytes.length;
  }

  writeSync(text: string): void {
    const bytes = this.#prepare(text);
    writeAllSync(this.#descriptor, bytes);
    this.#size += bytes.length;
    if (fstatSync(this.#descriptor).isFile()) fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #prepare(text: string): Buffer {
    const bytes = Buffer.from(text);
    if (this.#size > 0 && this.#size + bytes.length > this.#limits.maxBytes) {
      this.#shift();
      const full = this.#descriptor;
      this.#descriptor = this.#open();
      closeSync(full);
      this.#size = 0;
    }
    return bytes;
  }

  #open(): number {
    return openSync(this.#path, 'a', 0o600);
  }

  #shift(): void {
    const last = this.#limits.files - 1;
    rmSync(last === 0 ? this.#path : `${this.#path}.${last}`, { force: true });
    for (let age = last - 1; age >= 0; age--) {
      const from = age === 0 ? this.#path : `${this.#path}.${age}`;
      if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${this.#path}.${age + 1}`);
    }
  }
}
