/** The input of supervise.py. */
export interface Supervision {
  readonly command: readonly string[];
  readonly memory_bytes: number;
  readonly disk_bytes: number;
  /** The folder to which `disk_bytes` applies. */
  readonly folder: string;
  /** Working directory of the command. Default: that of the supervisor. */
  readonly cwd?: string;
  readonly time_s: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly grace_s: number;
  /** Number of cores that the script may use, the first available ones; null for no limit. */
  readonly cpus: number | null;
  /** Whether the script is ended when standard input closes because the hub has ended. Default: true. */
  readonly ends_with_hub?: boolean;
}

/** How a supervised script ended, as supervise.py reports it. */
export interface SupervisedEnd {
  readonly reason: 'exited' | 'canceled' | 'time' | 'memory' | 'disk' | 'orphaned' | 'unsupervised';
  /** Exit status of the script; null if a signal ended it. */
  readonly status: number | null;
  /** Number of that signal. */
  readonly signal: number | null;
  readonly peak_bytes: number;
}

/** Reads the report of the supervisor; undefined if there is no valid one, because the supervisor was killed. */
export function endOf(report: string): SupervisedEnd | undefined {
  try {
    const end: unknown = JSON.parse(report);
    return typeof end === 'object' && end !== null && 'reason' in end ? (end as SupervisedEnd) : undefined;
  } catch {
    return undefined;
  }
}
