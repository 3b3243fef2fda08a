/** A job as squeue and sacct report it. */
export interface SlurmJob {
  readonly id: string;
  readonly name: string;
  /** Slurm's name of the state: `PENDING`, `RUNNING`, `COMPLETED`, ... */
  readonly state: string;
  /** Slurm's name of the reason: `Resources`, `NonZeroExitCode`, ... */
  readonly reason: string;
  /** Where it runs or ran; '' if unknown. */
  readonly nodes: string;
}

/** For squeue: the fields of {@link SlurmJob} in order. Neither job names of the hub nor Slurm's names contain `|`. */
export const QUEUE_FORMAT = '%i|%j|%T|%r|%N';
/** The same for sacct. */
export const ACCOUNTING_FORMAT = 'JobIDRaw,JobName,State,Reason,NodeList';

/** The phase of a job in Slurm. */
export type JobPhase = 'waiting' | 'running' | 'ended';

const waiting: readonly string[] = [
  'PENDING',
  'CONFIGURING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'RESV_DEL_HOLD',
  'SPECIAL_EXIT',
];
const ended: readonly string[] = [
  'BOOT_FAIL',
  'CANCELLED',
  'COMPLETED',
  'DEADLINE',
  'FAILED',
  'NODE_FAIL',
  'OUT_OF_MEMORY',
  'PREEMPTED',
  'REVOKED',
  'TIMEOUT',
];

/** Unknown states, of a later Slurm, count as running, because nothing is concluded from that. */
export function phaseOf({ state }: SlurmJob): JobPhase {
  if (waiting.includes(state)) return 'waiting';
  return ended.includes(state) ? 'ended' : 'running';
}

/** Jobs in the output of squeue or sacct. Other lines, such as warnings, are left out. */
export function jobsIn(output: string): readonly SlurmJob[] {
  return output.split('\n').flatMap((line) => {
    const [id = '', name = '', state = '', reason = '', nodes, ...more] = line.trim().split('|');
    if (nodes === undefined || more.length > 0 || !/^\d+$/.test(id)) return [];
    // sacct adds who canceled it: `CANCELLED by 0`.
    return [{ id, name, state: state.split(' ')[0] ?? '', reason, nodes: nodes === 'None assigned' ? '' : nodes }];
  });
}

/** Exit status and signal of a job in the output of `scontrol --oneliner show job`. */
export function exitCodeIn(output: string): { readonly status: number; readonly signal: number } | undefined {
  const [, status, signal] = /\bExitCode=(\d+):(\d+)/.exec(output) ?? [];
  return status === undefined || signal === undefined ? undefined : { status: Number(status), signal: Number(signal) };
}

/** Id in the output of `sbatch --parsable`, which adds the cluster if there are several. */
export function submittedId(output: string): string | undefined {
  return /^(\d+)(?:;\S*)?$/m.exec(output)?.[1];
}

/** The meanings of frequent reasons. */
const meanings: Readonly<Record<string, string>> = {
  BadConstraints: 'no node has what it asks for',
  BeginTime: 'its time has not come',
  InvalidAccount: 'there is no such account',
  JobHeldAdmin: 'an administrator holds it',
  JobHeldUser: 'it is held',
  Licenses: 'a license is not free',
  PartitionConfig: 'the partition does not allow what it asks for',
  PartitionDown: 'the partition is down',
  PartitionInactive: 'the partition takes no jobs',
  PartitionNodeLimit: 'the partition does not allow so much at once',
  PartitionTimeLimit: 'the partition does not allow so much time',
  Priority: 'others are before it',
  QOSMaxCpuPerUserLimit: 'its user has as many cores as one may',
  ReqNodeNotAvail: 'a node that it needs cannot be used now',
  Resources: 'no node is free',
};

/** A sentence about a job that has not ended; '' if there is nothing special. */
export function noteOf(job: SlurmJob): string {
  const { id, state, reason } = job;
  if (phaseOf(job) === 'waiting') {
    const word = reason === '' || reason === 'None' ? state : reason;
    // Slurm may add details after a comma: `ReqNodeNotAvail, UnavailableNodes:n1`.
    const meaning = meanings[word.split(',')[0] ?? ''];
    return `It waits in Slurm's queue as job ${id}: ${word}${meaning === undefined ? '' : ` (${meaning})`}.`;
  }
  if (state === 'RUNNING') return '';
  return state === 'COMPLETING' ? `Slurm is ending its job ${id}.` : `Slurm says of its job ${id}: ${state}.`;
}
