import { describe, expect, it } from 'vitest';
import { exitCodeIn, jobsIn, noteOf, phaseOf, submittedId, type SlurmJob } from './job-state.ts';

/** Output of squeue of Slurm 22.05 with `--format=%i|%j|%T|%r|%N`. */
const QUEUE = `4|a-wait|PENDING|Resources|
7|j.sh|PENDING|PartitionConfig|
5|a-hold|PENDING|JobHeldUser|
3|a-long|RUNNING|None|vm
1|a-ok|COMPLETED|None|vm
2|a-fail|FAILED|NonZeroExitCode|vm
6|j.sh|FAILED|BadConstraints|
8|j.sh|CANCELLED|Priority|
9|b-node|NODE_FAIL|NodeDown|vm
11|c-long|TIMEOUT|TimeLimit|vm
12|b-nofolder|FAILED|JobLaunchFailure|vm
`;

const job = (change: Partial<SlurmJob>): SlurmJob => ({
  ...{ id: '5', name: 'armature-x', state: 'PENDING', reason: 'None', nodes: '' },
  ...change,
});

describe('jobs of Slurm', () => {
  it('are read from the output of squeue', () => {
    const jobs = jobsIn(QUEUE);
    expect(jobs).toHaveLength(11);
    expect(jobs[0]).toEqual({ id: '4', name: 'a-wait', state: 'PENDING', reason: 'Resources', nodes: '' });
    expect(jobs[3]).toEqual({ id: '3', name: 'a-long', state: 'RUNNING', reason: 'None', nodes: 'vm' });
    expect(jobs.map(phaseOf)).toEqual([
      ...['waiting', 'waiting', 'waiting', 'running'],
      ...['ended', 'ended', 'ended', 'ended', 'ended', 'ended', 'ended'],
    ]);
  });

  it('are read from the output of sacct', () => {
    expect(jobsIn('7|armature-x|CANCELLED by 1000|None|None assigned\n')).toEqual([
      { id: '7', name: 'armature-x', state: 'CANCELLED', reason: 'None', nodes: '' },
    ]);
  });

  it.each([
    '',
    '\n',
    'slurm_load_jobs error: Invalid job id specified\n',
    'JOBID|NAME|STATE|REASON|NODELIST\n',
    '1|a\n',
  ])('are not in %j', (output) => {
    expect(jobsIn(output)).toEqual([]);
  });

  it('with an unknown state count as running', () => {
    expect(phaseOf(job({ state: 'HIBERNATING' }))).toBe('running');
    expect(noteOf(job({ state: 'HIBERNATING' }))).toBe('Slurm says of its job 5: HIBERNATING.');
  });

  it.each([
    [{ reason: 'Resources' }, "It waits in Slurm's queue as job 5: Resources (no node is free)."],
    [{ reason: 'AssocGrpCpuLimit' }, "It waits in Slurm's queue as job 5: AssocGrpCpuLimit."],
    [{}, "It waits in Slurm's queue as job 5: PENDING."],
    [
      { reason: 'ReqNodeNotAvail, UnavailableNodes:vm' },
      "It waits in Slurm's queue as job 5: ReqNodeNotAvail, UnavailableNodes:vm (a node that it needs cannot be used now).",
    ],
    [{ state: 'RUNNING', nodes: 'vm' }, ''],
    [{ state: 'COMPLETING', nodes: 'vm' }, 'Slurm is ending its job 5.'],
    [{ state: 'SUSPENDED', nodes: 'vm' }, 'Slurm says of its job 5: SUSPENDED.'],
  ])('are described: %j', (change, note) => {
    expect(noteOf(job(change))).toBe(note);
  });

  it('have an exit code in the output of scontrol', () => {
    const text =
      'JobId=2 JobName=a-fail JobState=FAILED Reason=NonZeroExitCode Requeue=0 ExitCode=3:0 RunTime=00:00:01';
    expect(exitCodeIn(text)).toEqual({ status: 3, signal: 0 });
    expect(exitCodeIn('JobId=12 ExitCode=0:53 DerivedExitCode=0:0')).toEqual({ status: 0, signal: 53 });
    expect(exitCodeIn('')).toBeUndefined();
  });

  it.each([
    ['12\n', '12'],
    ['12;cluster\n', '12'],
    ['Submitted batch job 12\n', undefined],
    ['', undefined],
  ])('have their number in the output of sbatch: %j', (output, id) => {
    expect(submittedId(output)).toBe(id);
  });
});
