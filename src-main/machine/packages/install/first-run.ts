import { spawn, type ChildProcess } from 'node:child_process';
import { formatDuration } from '../../../../proto/config/duration.ts';
import { onAbort } from '../../../base/async/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { CUT_MARK, LineSplitter } from '../../modules/output/line-splitter.ts';
import { secretMask } from '../../modules/output/secret-mask.ts';
import { ProcessGroup } from '../../modules/process/process-group.ts';
import type { ProcessGuard } from '../../modules/process/process-guard.ts';

/** Ends a process group when this program is killed. */
export type GroupGuard = Pick<ProcessGuard, 'add' | 'remove'>;

export interface FirstRunOptions {
  /** Absolute. */
  readonly program: string;
  /** Working directory: the folder of its package. */
  readonly root: string;
  /** Its complete environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Receives its output: standard output at info, standard error at warn. Secrets of its environment are masked. */
  readonly logger: Logger;
  readonly guard?: GroupGuard | undefined;
}

/** Time for a program that was asked to end. */
const GRACE_MS = 3_000;
/** Processes that it left behind may keep its output open for this long. */
const DRAIN_MS = 2_000;
/** Last lines of output that an error quotes. */
const LAST_LINES = 5;
const LONGEST_NAMED = 400;

/**
 * Runs the first-run program of a package in its own process group, which has ended when this settles.
 * @throws {ArmatureError} `module.first_run` with its last lines; the reason of `signal`
 */
export async function firstRun(options: FirstRunOptions): Promise<void> {
  const { program, root, environment, timeoutMs, clock, signal, guard } = options;
  signal.throwIfAborted();
  const child = spawn(program, [], { cwd: root, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = new Output(options.logger, secretMask(environment));
  output.follow(child);
  const { pid } = child;
  const group = pid === undefined ? undefined : new ProcessGroup(pid, clock);
  if (pid !== undefined) guard?.add(pid);
  let isLate = false;
  const limit = clock.after(timeoutMs, () => {
    isLate = true;
    void group?.end(GRACE_MS);
  });
  const unsubscribe = onAbort(signal, () => void group?.end(GRACE_MS));
  const end = await endOf(child, group, clock);
  limit.cancel();
  unsubscribe();
  if (pid !== undefined) guard?.remove(pid);
  signal.throwIfAborted();
  const why = isLate ? `it did not end within ${formatDuration(timeoutMs)} (first_run_timeout)` : end;
  if (why === '') return;
  throw new ArmatureError('module.first_run', `its first run failed: ${why}${output.lastWords}`);
}

/**
 * Settles when the process and everything that it started have ended and their output was read.
 * @returns how it ended; '' for success
 */
async function endOf(child: ChildProcess, group: ProcessGroup | undefined, clock: Clock): Promise<string> {
  const how = await new Promise<string>((resolve) => {
    child.once('error', (thrown) => resolve(thrown.message));
    child.once('exit', () => {
      const drain = clock.after(DRAIN_MS, () => group?.signal('SIGKILL'));
      child.once('close', () => drain.cancel());
    });
    child.once('close', (code, killedBy) => {
      resolve(killedBy === null ? (code === 0 ? '' : `exit code ${code}`) : `ended by ${killedBy}`);
    });
  });
  // Processes that it left running without keeping its output open.
  await group?.end(0);
  return how;
}

/** Logs the output of a process, and keeps its last lines. */
class Output {
  readonly #logger: Logger;
  readonly #mask: (text: string) => string;
  readonly #last: string[] = [];

  constructor(logger: Logger, mask: (text: string) => string) {
    this.#logger = logger;
    this.#mask = mask;
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
      const lines = new LineSplitter(
        () => true,
        (bytes, isCut) => {
          const line = `${this.#mask(bytes.toString('utf8'))}${isCut ? CUT_MARK : ''}`;
          if (line.trim() === '') return;
          this.#logger[level](line);
          this.#last.push(line);
          if (this.#last.length > LAST_LINES) this.#last.shift();
        },
      );
      stream?.on('data', (bytes: Buffer) => lines.push(bytes));
      stream?.once('end', () => lines.end());
    }
  }
}
