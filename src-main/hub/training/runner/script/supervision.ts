/** What supervise.py is told. */
export interface Supervision {
  readonly command: readonly string[];
  readonly memory_bytes: number;
  readonly disk_bytes: number;
  /** Whose files count for that. */
  readonly folder: string;
  /** Where the command runs; where the supervisor runs where it is left out. */
  readonly cwd?: string;
  readonly time_s: number;
  /** Between being asked to end and being killed. */
  readonly grace_s: number;
  /** Cores that the script may use, the first ones that there are; null where somebody else shares them out. */
  readonly cpus: number | null;
  /** The end of standard input says that the hub is gone, and ends the script; left out, it does. */
  readonly ends_with_hub?: boolean;
}

/** How it ended. */
export interface SupervisedEnd {
  readonly reason: 'exited' | 'canceled' | 'time' | 'memory' | 'disk' | 'orphaned' | 'unsupervised';
  /** Exit status of the script; null where a signal ended it. */
  readonly status: number | null;
  /** Number of that signal. */
  readonly signal: number | null;
  readonly peak_bytes: number;
}

/** What the supervisor reported; undefined where that is no report: it was ended before it could tell. */
export function endOf(report: string): SupervisedEnd | undefined {
  try {
    const told: unknown = JSON.parse(report);
    return typeof told === 'object' && told !== null && 'reason' in told ? (told as SupervisedEnd) : undefined;
  } catch {
    return undefined;
  }
}
