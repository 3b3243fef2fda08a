/** Names in the folder of a run on Slurm, beside those that every run has. */
export const BATCH_SCRIPT = 'job.sh';
/** What the supervisor is told, as JSON. */
export const SUPERVISION = 'supervision.json';
/** What the supervisor reports. */
export const END = 'end.json';
/** What the script writes, by stream. */
export const OUTPUT_FILES = { out: 'out.log', err: 'err.log' } as const;
