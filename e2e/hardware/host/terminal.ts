import { CannotRun } from './cannot-run.ts';
import type { JobResult } from './virtual-computer.ts';

export function note(text: string): void {
  process.stderr.write(`virtual bench: ${text}\n`);
}

/** Aborted by the first signal that asks this program to end; the signal is the reason. */
export function aborting(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // Later ones are ignored: the computer is turned off after some seconds in any case.
    process.on(signal, () => controller.abort(signal));
  }
  return controller.signal;
}

/**
 * Ends the program with a job's exit code. Where the bench is not available, it says so.
 * @param exitCodeWithout the exit code in that case
 */
export async function report(job: () => Promise<JobResult>, exitCodeWithout = 1): Promise<void> {
  try {
    const { exitCode, isTimedOut } = await job();
    if (isTimedOut) note('the command took too long and was ended');
    process.exitCode = isTimedOut && exitCode === 0 ? 1 : exitCode;
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    note(`cannot run here. ${error.message}`);
    process.exitCode = exitCodeWithout;
  }
}
