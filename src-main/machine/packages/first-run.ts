import { spawn, type ChildProcess } from 'node:child_process';
import { formatDuration } from '../../../proto/config/duration.ts';
import type { Clock } from '../../base/clock.ts';
import { onAbort } from '../../base/abort.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { LineSplitter } from './line-splitter.ts';

export interface FirstRunOptions {
  /** Absolute. */
  readonly program: string;
  /** Where it works: the folder of its package. */
  readonly root: string;
  /** All of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What it prints: info, and warn for its standard error. */
  readonly logger: Logger;
}

/** Of a program that was asked to end. */
const GRACE_MS = 3_000;
/** What it started and left behind may hold its output open for so long. */
const DRAIN_MS = 2_000;
/** Lines of it that a failure names. */
const LAST_LINES = 5;
const LONGEST_NAMED = 400;

/**
 * Runs the set-up of a package, in a process group of its own that is gone when this settles.
 * @throws {ArmatureError} `module.first_run` with its last lines; the reason of `signal`
 */
export async function firstRun(options: FirstRunOptions): Promise<void> {
  const { program, root, environment, timeoutMs, clock, signal } = options;
  signal.throwIfAborted();
  const output = new Output(options.logger);
  const child = spawn(program, [], { cwd: root, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  output.follow(child);
  let isLate = false;
  const limit = clock.after(timeoutMs, () => {
    isLate = true;
    void end(child, clock);
  });
  const forget = onAbort(signal, () => void end(child, clock));
  const { code, killedBy, fault } = await exitOf(child, clock);
  limit.cancel();
  forget();
  signal.throwIfAborted();
  if (code === 0 && !isLate) return;
  const why = isLate
    ? `it did not end within ${formatDuration(timeoutMs)} (first_run_timeout)`
    : (fault ?? (killedBy === null ? `exit code ${code}` : `ended by ${killedBy}`));
  throw new ArmatureError('module.first_run', `its first run failed: ${why}${output.lastWords}`);
}

interface Exit {
  readonly code: number | null;
  readonly killedBy: string | null;
  /** Why it was never started. */
  readonly fault: string | undefined;
}

/** Settles when the process is gone and everything it printed was read. */
function exitOf(child: ChildProcess, clock: Clock): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (thrown) => resolve({ code: null, killedBy: null, fault: thrown.message }));
    child.once('exit', () => {
      // What it left running ends with it: at the latest when nothing more is to be heard of it.
      const drain = clock.after(DRAIN_MS, () => signalGroup(child, 'SIGKILL'));
      child.once('close', () => {
        drain.cancel();
        signalGroup(child, 'SIGKILL');
      });
    });
    child.once('close', (code, killedBy) => resolve({ code, killedBy, fault: undefined }));
  });
}

async function end(child: ChildProcess, clock: Clock): Promise<void> {
  signalGroup(child, 'SIGTERM');
  await new Promise<void>((resolve) => void clock.after(GRACE_MS, resolve));
  if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGKILL');
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left of it.
  }
}

/** What a process prints: to the log, and the last of it kept. */
class Output {
  readonly #logger: Logger;
  readonly #last: string[] = [];

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get lastWords(): string {
    const words = this.#last.join(' | ');
    return words === '' ? '' : `: ${words.length > LONGEST_NAMED ? `...${words.slice(-LONGEST_NAMED)}` : words}`;
  }

  follow({ stdout, stderr }: ChildProcess): void {
    for (const [stream, level] of [
      [stdout, 'info'],
      [stderr, 'warn'],
    ] as const) {
      const lines = new LineSplitter((line) => {
        if (line.trim() === '') return;
        this.#logger[level](line);
        this.#last.push(line);
        if (this.#last.length > LAST_LINES) this.#last.shift();
      });
      stream?.on('data', (bytes: Buffer) => lines.push(bytes));
      stream?.once('end', () => lines.end());
    }
  }
}
