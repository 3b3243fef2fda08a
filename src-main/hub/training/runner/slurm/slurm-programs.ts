import { execFile } from 'node:child_process';
import { codeOf, ArmatureError } from '../../../../base/errors.ts';

export type SlurmProgram = 'sbatch' | 'squeue' | 'scancel' | 'scontrol' | 'sacct';

/** The result of a Slurm program. */
export interface SlurmAnswer {
  readonly isDone: boolean;
  readonly output: string;
  /** Its error messages in one line, without the program's name. */
  readonly words: string;
}

/** More than Slurm's programs take: they give up after 10 s for each controller that does not answer. */
const TIME_LIMIT_MS = 60_000;
const MAX_OUTPUT_BYTES = 32 * 2 ** 20;

/**
 * Runs a program of Slurm. It gets only the environment variables that it needs to find its cluster: a submitted job
 * inherits the environment, and that of a hub may contain keys.
 * @throws {ArmatureError} `training.unavailable` if it is not installed, with what to install
 */
export function askSlurm(program: SlurmProgram, args: readonly string[]): Promise<SlurmAnswer> {
  const { PATH = '/usr/bin:/bin', SLURM_CONF } = process.env;
  const env = { PATH, LANG: 'C.UTF-8', ...(SLURM_CONF === undefined ? {} : { SLURM_CONF }) };
  // A batch job starts in the folder from which it was submitted, which must exist on the nodes.
  const options = { env, cwd: '/', timeout: TIME_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (codeOf(error) === 'ENOENT') reject(notInstalled(program, error));
      else if (error?.killed === true) resolve({ isDone: false, output: stdout, words: `${program} timed out` });
      else resolve({ isDone: error === null, output: stdout, words: wordsOf(stderr) || (error?.message ?? '') });
    });
  });
}

/** Slurm's error messages in one line. */
export function wordsOf(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\w+: (?:error: |fatal: )?/, '').trim());
  return lines.filter((line) => line !== '').join('; ');
}

/**
 * Whether Slurm's messages say that its controller could not be reached, so that its answer is not known. All other
 * messages are the controller's answer.
 */
export function isUnreachable(words: string): boolean {
  return /unable to contact|timed out|zero bytes|authentication|connection|communicat|standby|temporar|try again/i.test(
    words,
  );
}

function notInstalled(program: SlurmProgram, cause: unknown): ArmatureError {
  return new ArmatureError(
    'training.unavailable',
    `Slurm's program ${program} is not on this computer: install Slurm's programs (on Debian: apt install slurm-client munge) with the configuration and the key of the cluster, or choose the runner "local" in the settings of training.`,
    { cause },
  );
}
