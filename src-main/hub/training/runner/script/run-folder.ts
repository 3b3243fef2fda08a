import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DATASET_FILE } from '../../../labelling/write-dataset.ts';
import { modelKinds } from '../../model-types.ts';
import type { TrainingTask } from '../training-runner.ts';
import { supervisorFile, writeFiles, type TrainingScript } from './training-script.ts';

/** Names of files and folders in the folder of a run. */
export const OUTPUT = 'model';
export const SUPERVISOR = 'supervise.py';
export const TEMPORARY = 'temporary';

export interface RunFolderOptions {
  readonly folder: string;
  readonly task: TrainingTask;
  /** The hub's own script, for tasks without one. */
  readonly script: () => Promise<TrainingScript>;
  /** Path of the Python interpreter. */
  readonly python: string;
  /** Size of an unpacked script of the registry. */
  readonly maxBytes: number;
  /** Number of threads for libraries that would otherwise use all cores. */
  readonly threads: number;
}

/** How to run a script. */
export interface RunCommand {
  readonly command: readonly string[];
  /** Working directory. Default: any. */
  readonly cwd?: string;
  /** Environment variables beside the usual ones. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Creates the folder of a run and writes script, supervisor and dataset into it.
 * @throws {ArmatureError} if the dataset cannot be written or the script cannot be unpacked
 */
export async function prepareRunFolder(options: RunFolderOptions): Promise<RunCommand> {
  const { folder, task, script, python, maxBytes, threads } = options;
  const place = (name: string): string => path.join(folder, name);
  await writeFiles(folder, await supervisorFile());
  const root = place('script');
  const unpacked = await task.script?.unpack(root, maxBytes);
  if (unpacked === undefined) await writeFiles(root, (await script()).files);
  for (const name of [OUTPUT, TEMPORARY]) await mkdir(place(name), { mode: 0o700 });
  await task.writeDataset(place('dataset'));
  const files = [`--dataset_file=${place(`dataset/${DATASET_FILE}`)}`, `--model_output_directory=${place(OUTPUT)}`];
  if (task.script !== undefined && unpacked !== undefined) {
    return {
      command: [
        ...[python, '-u', '-B', '-m', 'model.training', ...files],
        ...Object.entries(task.script.arguments).map(([name, value]) => `--${name}=${value}`),
      ],
      // Paths of pictures are relative to the dataset file.
      cwd: place('dataset'),
      environment: { PYTHONPATH: unpacked },
    };
  }
  const command = [
    ...[python, '-u', '-B', place('script/train.py'), ...files],
    `--labels=${JSON.stringify(task.labels)}`,
    `--model_type=${modelKinds.get(task.modelType) ?? ''}`,
    `--snapshot=${task.snapshot}`,
    `--threads=${threads}`,
  ];
  return { command, environment: {} };
}
