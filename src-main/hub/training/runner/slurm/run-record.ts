import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../../../../base/errors.ts';
import { JsonRecord } from '../../../../base/files/json-record.ts';
import type { TrainingSettings } from '../../training-settings.ts';

/** A run that is given to Slurm, or is about to be, as the hub has to know it again after a restart. */
export interface RunRecord {
  /** Its folder is being written: nothing was given to Slurm. */
  readonly isPreparing: boolean;
  /** In the shared folder. */
  readonly folder: string;
  /** Of the job in Slurm: no other has it. */
  readonly name: string;
  /** By which settings it runs; those of the hub may change meanwhile. */
  readonly settings: TrainingSettings;
  /** sbatch was run, so that there may be a job of this name. */
  readonly isSubmitted: boolean;
  /** Of the job in Slurm; '' where sbatch was not heard to the end. */
  readonly slurmId: string;
  /** Slurm has begun it. */
  readonly hasBegun: boolean;
  /** Bytes of its output that are in the log of the job. */
  readonly positions: { readonly out: number; readonly err: number };
  /** What the script said in that of why it ends. */
  readonly failure?: string | undefined;
}

/** Records of runs, a file each, in the folder of the hub: they are there when the shared folder is not. */
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

  /** Jobs that have one. */
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
