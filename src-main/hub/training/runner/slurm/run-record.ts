import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../../base/errors.ts';
import { JsonRecord } from '../../../../base/files/json-record.ts';
import type { TrainingSettings } from '../../training-settings.ts';

/** What the hub has to know after a restart about a run that was or will be submitted to Slurm. */
export interface RunRecord {
  /** Its folder is still being written, so nothing was submitted to Slurm. */
  readonly isPreparing: boolean;
  /** Path of the run's folder in the shared folder. */
  readonly folder: string;
  /** Unique name of the job in Slurm. */
  readonly name: string;
  /** The settings with which it runs. Those of the hub may change meanwhile. */
  readonly settings: TrainingSettings;
  /** sbatch was run, so there may be a job of this name. */
  readonly isSubmitted: boolean;
  /** Id of the job in Slurm; '' if the answer of sbatch is not known. */
  readonly slurmId: string;
  /** Slurm has started it. */
  readonly hasBegun: boolean;
  /** Bytes of its output that are already in the log of the job. */
  readonly positions: { readonly out: number; readonly err: number };
  /** The reason of failure that the script reported in that output. */
  readonly failure?: string | undefined;
}

/** Records of runs, one file each, in the hub's folder: available even when the shared folder is not. */
export class RunRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  load(jobId: string): Promise<RunRecord | undefined> {
    return this.#fileOf(jobId).load();
  }

  /** @throws {ArmatureError} `file.unwritable` */
  save(jobId: string, record: RunRecord | undefined): Promise<void> {
    return this.#fileOf(jobId).save(record);
  }

  /** Ids of the jobs that have a record. */
  async list(): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((thrown: unknown): string[] => {
      if (codeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    return names.filter((name) => /^[^.].*\.json$/.test(name)).map((name) => path.basename(name, '.json'));
  }

  #fileOf(jobId: string): JsonRecord<RunRecord> {
    return new JsonRecord({
      path: path.join(this.#folder, `${jobId}.json`),
      isValid: (value): value is RunRecord => typeof value === 'object' && value !== null && 'folder' in value,
      what: `Which job of Slurm trains for job ${jobId}`,
      nextStep: 'Make room on the disk of the hub.',
    });
  }
}
