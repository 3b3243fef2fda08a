/** Names of files in the folder of a run on Slurm, beside those of every run. */
export const BATCH_SCRIPT = 'job.sh';
/** Input of the supervisor, as JSON. */
export const SUPERVISION = 'supervision.json';
/** Report of the supervisor. */
export const END = 'end.json';
/** Output of the script, by stream. */
export const OUTPUT_FILES = { out: 'out.log', err: 'err.log' } as const;
