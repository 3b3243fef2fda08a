import { describe, expect, it } from 'vitest';
import { isUnreachable, wordsOf } from './slurm-programs.ts';

/** Messages of Slurm 22.05. */
const away = [
  'slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n',
  'slurm_load_jobs error: Socket timed out on send/recv operation\n',
  'sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)\n',
  `sbatch: error: If munged is up, restart with --num-threads=10
sbatch: error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory (Did you start munged?)
sbatch: error: slurm_send_node_msg: auth_g_create: REQUEST_SUBMIT_BATCH_JOB has authentication error
sbatch: error: Batch job submission failed: Protocol authentication error
`,
];
const refused = [
  'sbatch: error: invalid partition specified: nowhere\nsbatch: error: Batch job submission failed: Invalid partition name specified\n',
  'sbatch: error: Memory specification can not be satisfied\nsbatch: error: Batch job submission failed: Requested node configuration is not available\n',
  'sbatch: error: Invalid --time specification\n',
  `sbatch: unrecognized option '--nosuch=nope'\nTry "sbatch --help" for more information\n`,
];

describe("Slurm's messages", () => {
  it.each(away)('say that the controller cannot be reached: %s', (text) => {
    expect(isUnreachable(wordsOf(text))).toBe(true);
  });

  it.each(refused)('say that the controller refuses a job: %s', (text) => {
    expect(isUnreachable(wordsOf(text))).toBe(false);
  });

  it('are one line, without the name of the program', () => {
    expect(wordsOf(refused[0] ?? '')).toBe(
      'invalid partition specified: nowhere; Batch job submission failed: Invalid partition name specified',
    );
    expect(wordsOf('')).toBe('');
  });
});
