import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../../base/clock.ts';
import { onAbort } from '../../../../base/async/abort.ts';
import { OutputLines } from '../script/output-lines.ts';
import { endOf, type SupervisedEnd, type Supervision } from '../script/supervision.ts';

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

/** Extra time for the supervisor after the grace period. Then the hub kills its process group. */
const SUPERVISOR_MS = 5_000;
const REPORT = 3;

/**
 * Runs a script under its supervisor, in a process group of its own. Settles when none of its processes run any more;
 * never rejects.
 * @param signal asks the script to end; it is killed after the grace period
 */
export function runSupervised(options: SupervisedProcessOptions, signal: AbortSignal): Promise<SupervisedEnd> {
  const { python, supervisor, supervision, folder, environment, onLine, clock } = options;
  const child = spawn(python, ['-I', supervisor, JSON.stringify(supervision)], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    // The first pipe closes when the hub ends, which tells the supervisor.
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const [out, err] = [linesOf(child.stdout, 'out', onLine), linesOf(child.stderr, 'err', onLine)];
  let report = '';
  (child.stdio[REPORT] as Readable | undefined)?.on('data', (chunk: Buffer) => (report += chunk.toString()));
  child.stdin?.on('error', () => undefined); // The end of the process is handled below.
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
      // Kills what is left if the supervisor was killed or could not end everything.
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

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}
