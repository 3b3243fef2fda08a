import path from 'node:path';
import type { TrainingSettings } from '../../training-settings.ts';
import { SUPERVISOR, TEMPORARY } from '../script/run-folder.ts';
import { END, OUTPUT_FILES, SUPERVISION } from './run-files.ts';

/** Memory for the supervisor, in addition to that of the script. */
const SUPERVISOR_MB = 64;
/** Extra time for the supervisor, so that it can end and report a script that takes too long before Slurm does. */
const SUPERVISOR_MINUTES = 2;

export type JobSettings = Pick<TrainingSettings, 'cpus' | 'memoryMb' | 'timeLimitMinutes' | 'slurm'>;

/** Arguments of sbatch for a run. @param name a unique job name */
export function sbatchArguments(
  name: string,
  folder: string,
  settings: JobSettings,
  script: string,
): readonly string[] {
  const { cpus, memoryMb, timeLimitMinutes, slurm } = settings;
  const { partition, account, options } = slurm;
  return [
    '--parsable',
    `--job-name=${name}`,
    '--nodes=1',
    '--ntasks=1',
    `--cpus-per-task=${cpus}`,
    `--mem=${memoryMb + SUPERVISOR_MB}M`,
    `--time=${Math.ceil(timeLimitMinutes) + SUPERVISOR_MINUTES}`,
    // A second run would find files of the first one.
    '--no-requeue',
    `--chdir=${folder}`,
    `--output=${path.join(folder, OUTPUT_FILES.out)}`,
    `--error=${path.join(folder, OUTPUT_FILES.err)}`,
    ...(partition === '' ? [] : [`--partition=${partition}`]),
    ...(account === '' ? [] : [`--account=${account}`]),
    ...options,
    script,
  ];
}

/**
 * The script that Slurm runs on the node. It runs the supervisor, which writes its report to a file.
 * @param environment variables for the training script, beside the usual ones
 */
export function batchScript(folder: string, python: string, environment: Readonly<Record<string, string>>): string {
  const temporary = quoted(path.join(folder, TEMPORARY));
  const more = Object.entries(environment).map(([name, value]) => ` ${name}=${quoted(value)}`);
  return `#!/bin/sh
# A training of Armature.
umask 077
export PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=${temporary} TMPDIR=${temporary}${more.join('')}
exec ${quoted(python)} -I ${SUPERVISOR} "$(cat ${SUPERVISION})" 3>${END}
`;
}

/** Quotes a text as one word for the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
