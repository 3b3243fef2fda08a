import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError } from '../errors.ts';
import { replaceFile } from './replace-file.ts';

/** One value that survives a restart. */
export interface PersistentRecord<T> {
  /** Undefined if there is none, or none that can be used. */
  load(): Promise<T | undefined>;
  /** Undefined deletes it. Rejects with `file.unwritable`. */
  save(value: T | undefined): Promise<void>;
}

export interface JsonRecordOptions<T> {
  /** Its folder is created when there is something to store. */
  readonly path: string;
  readonly isValid: (value: unknown) => value is T;
  /** What is stored: the subject of an error message. */
  readonly what: string;
  /** What to do about a failure: the end of that message. */
  readonly nextStep: string;
}

/** A file with one value: replaced as a whole, readable by its owner only, because a configuration may contain keys. */
export class JsonRecord<T> implements PersistentRecord<T> {
  readonly #options: JsonRecordOptions<T>;

  constructor(options: JsonRecordOptions<T>) {
    this.#options = options;
  }

  async load(): Promise<T | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#options.path, 'utf8'));
      return this.#options.isValid(value) ? value : undefined;
    } catch {
      // Missing or damaged: there is nothing to restore.
      return undefined;
    }
  }

  async save(value: T | undefined): Promise<void> {
    const { path: file, what, nextStep } = this.#options;
    try {
      if (value === undefined) {
        await rm(file, { force: true });
        return;
      }
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await replaceFile(file, `${JSON.stringify(value)}\n`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ArmatureError('file.unwritable', `${what} cannot be kept in ${file} (${why}). ${nextStep}`, {
        details: { path: file },
        cause,
      });
    }
  }
}
