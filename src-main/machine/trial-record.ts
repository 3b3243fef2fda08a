import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { ArmatureError } from '../base/errors.ts';
import { replaceText } from './config/config-text-file.ts';

/** A text that is kept only if what worked before it works again: all that is needed to go back, also after a restart. */
export interface Probation {
  /** Of the text on trial. */
  readonly revision: string;
  readonly waitMs: number;
  /** The last text that was not on trial: what is gone back to. */
  readonly goodText: string;
  /** Full names of the resources that were ready with it. */
  readonly readyBefore: readonly string[];
  /** Revision of the text that was on trial when this one was applied, towards the same good text; '' for none. */
  readonly replaces: string;
  /** How often the server has ended while this was on trial. */
  readonly restarts: number;
}

/** Where a probation outlives the server. */
export interface TrialRecord {
  /** Undefined where there is none, or none that can be used. */
  load(): Promise<Probation | undefined>;
  /** Undefined forgets it. Rejects with `file.unwritable`. */
  save(probation: Probation | undefined): Promise<void>;
}

/**
 * A file for one probation: replaced as a whole, readable by its owner alone,
 * since a configuration may hold keys.
 */
export class TrialRecordFile implements TrialRecord {
  readonly #path: string;

  /** @param filePath its folder is made when there is something to keep */
  constructor(filePath: string) {
    this.#path = filePath;
  }

  async load(): Promise<Probation | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#path, 'utf8'));
      return isProbation(value) ? value : undefined;
    } catch {
      // None, or one that was damaged: there is nothing to go back to, and what is stored runs.
      return undefined;
    }
  }

  async save(probation: Probation | undefined): Promise<void> {
    try {
      if (probation === undefined) {
        await rm(this.#path, { force: true });
        return;
      }
      await mkdir(path.dirname(this.#path), { recursive: true, mode: 0o700 });
      await replaceText(this.#path, `${JSON.stringify(probation)}\n`);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ArmatureError(
        'file.unwritable',
        `What to go back to cannot be kept in ${this.#path} (${why}). Set SVC_HOME to a folder that can be written, or apply without a way back.`,
        { details: { path: this.#path }, cause },
      );
    }
  }
}

function isProbation(value: unknown): value is Probation {
  if (typeof value !== 'object' || value === null) return false;
  const { revision, waitMs, goodText, readyBefore, replaces, restarts } = value as Record<string, unknown>;
  return (
    typeof revision === 'string' &&
    typeof waitMs === 'number' &&
    waitMs > 0 &&
    typeof goodText === 'string' &&
    Array.isArray(readyBefore) &&
    readyBefore.every((name) => typeof name === 'string') &&
    typeof replaces === 'string' &&
    typeof restarts === 'number'
  );
}
