import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DATASET_FILE } from '../../../labelling/write-dataset.ts';
import { modelKinds } from '../../model-types.ts';
import type { TrainingTask } from '../training-runner.ts';
import { supervisorFile, writeFiles, type TrainingScript } from './training-script.ts';

/** Names in the folder of a run. */
export const OUTPUT = 'model';
export const SUPERVISOR = 'supervise.py';
export const TEMPORARY = 'temporary';

export interface RunFolderOptions {
  readonly folder: string;
  readonly task: TrainingTask;
  readonly script: TrainingScript;
  /** Path of the program that runs the script. */
  readonly python: string;
  /** Of the processor, for libraries that ask the computer otherwise. */
  readonly threads: number;
}

/**
 * Writes what a run needs into its folder, which is made: script, supervisor and dataset.
 * @returns the command that trains
 * @throws {ArmatureError} where the dataset cannot be written
 */
export async function prepareRunFolder(options: RunFolderOptions): Promise<readonly string[]> {
  const { folder, task, script, python, threads } = options;
  const place = (name: string): string => path.join(folder, name);
  await writeFiles(place('script'), script.files);
  await writeFiles(folder, await supervisorFile());
  for (const name of [OUTPUT, TEMPORARY]) await mkdir(place(name), { mode: 0o700 });
  await task.writeDataset(place('dataset'));
  return [
    ...[python, '-u', '-B', place('script/train.py')],
    `--dataset_file=${place(`dataset/${DATASET_FILE}`)}`,
    `--model_output_directory=${place(OUTPUT)}`,
    `--labels=${JSON.stringify(task.labels)}`,
    `--model_type=${modelKinds.get(task.modelType) ?? ''}`,
    `--snapshot=${task.snapshot}`,
    `--threads=${threads}`,
  ];
}
