import path from 'node:path';
import { ArmatureError } from '../../base/errors.ts';

/** How jobs are submitted to Slurm. Empty texts use Slurm's defaults. */
export interface SlurmSettings {
  /** Path of a folder that this computer and all nodes see under the same path. */
  readonly sharedFolder: string;
  readonly partition: string;
  readonly account: string;
  /** More options of sbatch. */
  readonly options: readonly string[];
}

/**
 * Options of sbatch that say where a job may run. Others are set for each job, or would keep the hub from finding it:
 * arrays, other names, other output files.
 */
const allowedOptions = [
  'comment',
  'constraint',
  'exclude',
  'exclusive',
  'gpus',
  'gres',
  'licenses',
  'nice',
  'nodelist',
  'prefer',
  'qos',
  'reservation',
  'wckey',
];
const MAX_OPTIONS = 20;
const MAX_LENGTH = 500;
/** A name, or a list of names, that Slurm accepts. */
const NAMES = /^[\w.,@+-]*$/;
/** In the path of an output file Slurm replaces `%j` and the like, and backslashes have a meaning. */
const UNFIT_FOR_PATHS = /[%\\\p{Cc}]/u;

/**
 * @param isUsed whether jobs run on Slurm, so that required settings must be there
 * @throws {ArmatureError} `call.bad_argument`, naming the field
 */
export function requireSlurmSettings(settings: SlurmSettings | undefined, isUsed: boolean): void {
  const { sharedFolder = '', partition = '', account = '', options = [] } = settings ?? {};
  if (isUsed && sharedFolder === '') {
    throw bad(
      'slurm.shared_folder',
      sharedFolder,
      'the runner "slurm" needs a folder that this computer and all nodes see at the same place',
    );
  }
  if (sharedFolder !== '' && (!path.isAbsolute(sharedFolder) || sharedFolder.length > MAX_LENGTH)) {
    throw bad(
      'slurm.shared_folder',
      sharedFolder,
      'give the whole path of a folder, for example /home/shared/training',
    );
  }
  if (UNFIT_FOR_PATHS.test(sharedFolder)) {
    throw bad(
      'slurm.shared_folder',
      sharedFolder,
      'Slurm cannot use a path with "%", a backslash or a control character',
    );
  }
  for (const [field, value] of Object.entries({ partition, account })) {
    if (value.length > MAX_LENGTH || !NAMES.test(value) || value.startsWith('-')) {
      throw bad(`slurm.${field}`, value, `give a name of Slurm, of letters, digits and "._-", or nothing`);
    }
  }
  if (options.length > MAX_OPTIONS) {
    throw bad('slurm.options', `${options.length} options`, `at most ${MAX_OPTIONS} are allowed`);
  }
  for (const option of options) requireOption(option);
}

function requireOption(option: string): void {
  const name = /^--([a-z-]+)(?:=|$)/.exec(option)?.[1];
  if (name === undefined || option.length > MAX_LENGTH || /\p{Cc}/u.test(option)) {
    throw bad('slurm.options', option, 'write each option as --name=value, for example --qos=long');
  }
  if (allowedOptions.includes(name)) return;
  throw bad(
    'slurm.options',
    option,
    `allowed are --${allowedOptions.join(', --')}; memory, time, cores, partition and account have settings of their own`,
  );
}

function bad(field: string, value: string, what: string): ArmatureError {
  return new ArmatureError('call.bad_argument', `"${field}" is "${value.slice(0, 200)}": ${what}.`);
}
