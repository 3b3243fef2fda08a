import { execFile } from 'node:child_process';
import { codeOf, ArmatureError } from '../../../../base/errors.ts';

export type SlurmProgram = 'sbatch' | 'squeue' | 'scancel' | 'scontrol' | 'sacct';

/** What a program of Slurm answered. */
export interface SlurmAnswer {
  readonly isDone: boolean;
  readonly output: string;
  /** Its complaints in one line, without its name before each. */
  readonly words: string;
}

/** Slurm's own programs give up after 10 s for each controller that does not answer. */
const TIME_LIMIT_MS = 60_000;
const MOST_BYTES = 32 * 2 ** 20;

/**
 * Runs a program of Slurm. Of the environment it gets what it needs to find its cluster: a job that is submitted takes
 * the environment along, and that of a hub may hold keys.
 * @throws {ArmatureError} `training.unavailable` where it is not installed, with what to install
 */
export function askSlurm(program: SlurmProgram, args: readonly string[]): Promise<SlurmAnswer> {
  const { PATH = '/usr/bin:/bin', SLURM_CONF } = process.env;
  const env = { PATH, LANG: 'C.UTF-8', ...(SLURM_CONF === undefined ? {} : { SLURM_CONF }) };
  // A batch job begins where its program was submitted: nobody's folder.
  const options = { env, cwd: '/', timeout: TIME_LIMIT_MS, maxBuffer: MOST_BYTES };
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (codeOf(error) === 'ENOENT') reject(notInstalled(program, error));
      else if (error?.killed === true) resolve({ isDone: false, output: stdout, words: `${program} timed out` });
      else resolve({ isDone: error === null, output: stdout, words: wordsOf(stderr) || (error?.message ?? '') });
    });
  });
}

/** Slurm's complaints in one line. */
export function wordsOf(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^\w+: (?:error: |fatal: )?/, '').trim());
  return lines.filter((line) => line !== '').join('; ');
}

/**
 * Whether words of Slurm say that its controller could not be asked: what it would have said is not known. All else that
 * a program of Slurm complains of is what the controller said.
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
