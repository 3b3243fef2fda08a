import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../base/clock.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import { formatSeconds } from '../../graph/description.ts';
import { ProcessGroup } from './process-group.ts';

/** How a process ended, or why it was not started. */
export type ProcessEnd =
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly afterMs: number;
    }
  /** For people, without a full stop. */
  | { readonly kind: 'not-started'; readonly reason: string };

export interface ProcessCommand {
  readonly executable: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Receives the output of the process. A chunk is valid only during the call. */
export interface ProcessOutput {
  out(chunk: Buffer): void;
  err(chunk: Buffer): void;
}

/** How long the output of an ended process is awaited: a child may hold the pipe open. */
const DRAIN_MS = 250;

/** A process in its own process group, and its output. */
export class ModuleProcess {
  /** 0 if it was not started. */
  readonly pid: number;
  readonly group: ProcessGroup | undefined;
  /** Settles as soon as the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #closed: Promise<void>;
  #end: ProcessEnd | undefined;

  constructor(command: ProcessCommand, output: ProcessOutput, clock: Clock) {
    this.#clock = clock;
    const startedAt = clock.monotonic();
    this.#child = spawnOrFail(command);
    const child = this.#child;
    this.pid = child.pid ?? 0;
    this.group = child.pid === undefined ? undefined : new ProcessGroup(child.pid, clock);
    child.stdout?.on('data', (chunk: Buffer<ArrayBuffer>) => {
      output.out(chunk);
      release(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer<ArrayBuffer>) => {
      output.err(chunk);
      release(chunk);
    });
    this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
    this.ended = new Promise((resolve) => {
      const settle = (end: ProcessEnd): void => {
        this.#end ??= end;
        resolve(this.#end);
      };
      child.once('error', (error: NodeJS.ErrnoException) => {
        // If the process runs, the error is a signal that could not be sent.
        if (child.pid === undefined) settle({ kind: 'not-started', reason: startTrouble(error, command) });
      });
      child.once('exit', (code, signal) =>
        settle({ kind: 'exited', code, signal, afterMs: clock.monotonic() - startedAt }),
      );
    });
  }

  get end(): ProcessEnd | undefined {
    return this.#end;
  }

  /** Settles when all its output was read, or a child of it holds the pipe open. */
  async drained(): Promise<void> {
    if (this.pid === 0) return;
    await withTimeout(() => this.#closed, { clock: this.#clock, ms: DRAIN_MS, onTimeout: () => undefined });
    destroy(this.#child.stdout);
    destroy(this.#child.stderr);
  }
}

/**
 * Frees the memory of a chunk now. Otherwise the garbage collector, which does not count it, lets the chunks of a
 * flooding process take tens of megabytes.
 */
function release({ buffer, byteLength }: Buffer<ArrayBuffer>): void {
  // Part of ES2024, which our type library does not have yet.
  const transferable = buffer as ArrayBuffer & { transfer(newLength: number): ArrayBuffer };
  if (buffer.byteLength === byteLength) transferable.transfer(0);
}

function destroy(stream: Readable | null): void {
  stream?.removeAllListeners('data');
  stream?.destroy();
}

function spawnOrFail({ executable, args, folder, environment }: ProcessCommand): ChildProcess {
  return spawn(executable, [...args], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

function startTrouble(error: NodeJS.ErrnoException, { executable, folder }: ProcessCommand): string {
  switch (error.code) {
    case 'ENOENT':
      return `${executable} cannot be started: it, the program named in its first line (#!), or the folder ${folder} is not there`;
    case 'EACCES':
      return `${executable} cannot be started: it is not executable; chmod +x it`;
    case 'ENOEXEC':
      return `${executable} cannot be started: it is no program for this computer (${process.platform}/${process.arch}), or lacks its first line (#!)`;
    default:
      return `${executable} cannot be started: ${error.message}`;
  }
}

/** `exit code 1 after 3.2 s`, `killed by SIGSEGV after 3.2 s`. */
export function describeEnd(end: ProcessEnd): string {
  if (end.kind === 'not-started') return end.reason;
  const how = end.signal === null ? `exit code ${end.code ?? 0}` : `killed by ${end.signal}`;
  return `${how} after ${formatSeconds(end.afterMs)}`;
}
