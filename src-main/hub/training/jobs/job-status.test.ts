import { describe, expect, it } from 'vitest';
import { isFinished, mayFollow, transitions, unfinished, type JobStatus } from './job-status.ts';

const all = Object.keys(transitions) as JobStatus[];

describe('the status of a training job', () => {
  it('follows another one in these cases only', () => {
    const pairs = all.flatMap((from) => all.filter((to) => mayFollow(from, to)).map((to) => `${from} -> ${to}`));
    expect(pairs).toEqual([
      'pending -> running',
      'pending -> canceled',
      'running -> pending',
      'running -> canceling',
      'running -> completed',
      'running -> failed',
      'canceling -> canceled',
    ]);
  });

  it('is final if the job may be deleted, and reserves a version until then', () => {
    expect(all.filter(isFinished)).toEqual(['completed', 'failed', 'canceled']);
    expect([...unfinished].sort()).toEqual(all.filter((status) => !isFinished(status)).sort());
  });
});
