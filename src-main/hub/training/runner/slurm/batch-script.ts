import path from 'node:path';
import type { TrainingSettings } from '../../training-settings.ts';
import { SUPERVISOR, TEMPORARY } from '../script/run-folder.ts';
import { END, OUTPUT_FILES, SUPERVISION } from './run-files.ts';

/** Beside the script, its supervisor needs some memory. */
const SUPERVISOR_MB = 64;
/** The supervisor ends a script that takes too long, and says so; Slurm is there for one that does not. */
const SUPERVISOR_MINUTES = 2;

export type JobSettings = Pick<TrainingSettings, 'cpus' | 'memoryMb' | 'timeLimitMinutes' | 'slurm'>;

/** Arguments of sbatch for a run. @param name that no other job has */
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
    // A second run would find what the first one left.
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
 * What Slurm runs on the node: the supervisor, which reports its end into a file.
 * @param environment variables of the script beside the usual ones
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

/** A text as one word of the shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
