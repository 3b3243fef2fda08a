/** The status of a training job. */
export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'canceling' | 'canceled';

/** The statuses that may follow each. A hub that stops puts its running jobs back into the queue. */
export const transitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['running', 'canceled'],
  running: ['completed', 'failed', 'canceling', 'pending'],
  canceling: ['canceled'],
  completed: [],
  failed: [],
  canceled: [],
};

/** Statuses in which a job reserves its version: another job for that version could not publish its model. */
export const unfinished: readonly JobStatus[] = ['pending', 'running', 'canceling'];

/** Whether a status is final. Only then may a job be deleted. */
export function isFinished(status: JobStatus): boolean {
  return transitions[status].length === 0;
}

/** Whether a job may go from one status to the other. */
export function mayFollow(from: JobStatus, to: JobStatus): boolean {
  return transitions[from].includes(to);
}
