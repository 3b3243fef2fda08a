/** How far a job is. */
export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'canceling' | 'canceled';

/** Status to those that may follow it. A hub that ends in the middle of a job puts it back into the queue. */
export const transitions: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['running', 'canceled'],
  running: ['completed', 'failed', 'canceling', 'pending'],
  canceling: ['canceled'],
  completed: [],
  failed: [],
  canceled: [],
};

/** Those that hold the name of a version: another job for it would have nowhere to go. */
export const unfinished: readonly JobStatus[] = ['pending', 'running', 'canceling'];

/** Whether nothing follows any more: only then may a job be deleted. */
export function isFinished(status: JobStatus): boolean {
  return transitions[status].length === 0;
}

/** Whether one may follow the other. */
export function mayFollow(from: JobStatus, to: JobStatus): boolean {
  return transitions[from].includes(to);
}
