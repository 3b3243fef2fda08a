import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../../base/clock.ts';
import { onAbort } from '../../../../base/async/abort.ts';
import { OutputLines } from './output-lines.ts';

/** What supervise.py is told. */
export interface Supervision {
  readonly command: readonly string[];
  readonly memory_bytes: number;
  readonly disk_bytes: number;
  /** Whose files count for that. */
  readonly folder: string;
  /** Where the command runs; `folder` where it is left out. */
  readonly cwd?: string;
  readonly time_s: number;
  /** Between being asked to end and being killed. */
  readonly grace_s: number;
  readonly cpus: number;
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

export interface SupervisedProcessOptions {
  readonly python: string;
  /** Path of supervise.py. */
  readonly supervisor: string;
  readonly supervision: Supervision;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onLine: (stream: 'out' | 'err', line: string) => void;
  readonly clock: Clock;
}

/** What the supervisor itself may take after the grace is over, before its group is killed from here. */
const SUPERVISOR_MS = 5_000;
const REPORT = 3;

/**
 * Runs a script under its supervisor, in a group of processes of its own. Settles when nothing of it runs any more; never
 * rejects.
 * @param signal ends it: it is asked to, and killed after its grace
 */
export function runSupervised(options: SupervisedProcessOptions, signal: AbortSignal): Promise<SupervisedEnd> {
  const { python, supervisor, supervision, folder, environment, onLine, clock } = options;
  const child = spawn(python, ['-I', supervisor, JSON.stringify(supervision)], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    // The first one tells the supervisor by its end that the hub is gone.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [out, err] = [linesOf(child.stdout, 'out', onLine), linesOf(child.stderr, 'err', onLine)];
  let report = '';
  (child.stdio[REPORT] as Readable | undefined)?.on('data', (chunk: Buffer) => (report += chunk.toString()));
  child.stdin?.on('error', () => undefined); // Told of by its end.
  return new Promise((resolve) => {
    const end = (): void => {
      child.kill('SIGTERM');
      const killAfterMs = supervision.grace_s * 1_000 + SUPERVISOR_MS;
      const timer = clock.after(killAfterMs, () => killGroup(child));
      child.once('close', () => timer.cancel());
    };
    const forget = onAbort(signal, end);
    child.once('error', (error) => onLine('err', error.message));
    child.once('close', (status, name) => {
      forget();
      // What the supervisor could not end, or it was ended itself.
      killGroup(child);
      out.end();
      err.end();
      resolve(endOf(report) ?? { reason: 'unsupervised', status, signal: name === null ? null : 0, peak_bytes: 0 });
    });
  });
}

function linesOf(
  stream: Readable | null,
  name: 'out' | 'err',
  onLine: SupervisedProcessOptions['onLine'],
): OutputLines {
  const lines = new OutputLines((line) => onLine(name, line));
  stream?.on('data', (chunk: Buffer) => lines.write(chunk));
  return lines;
}

function endOf(report: string): SupervisedEnd | undefined {
  try {
    return JSON.parse(report) as SupervisedEnd;
  } catch {
    // The supervisor was ended before it could tell.
    return undefined;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of it is left.
  }
}
