import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';

/** Processor of the measured servers, and that of the load. */
export const SERVER_CPU = 0;
export const LOAD_CPU = 1;

/** Whether processes can be pinned to a processor here: Linux with `taskset` and two processors. */
export const canPin = os.availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** Pins this process to the processor of the load, so that it takes no time from a server. */
export function pinSelf(): void {
  if (canPin) spawnSync('taskset', ['-acp', String(LOAD_CPU), String(process.pid)]);
}

const running = new Set<ChildProcess>();

/** Leaves no process behind, however this one ends. */
export function endAllAtExit(): void {
  process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

export interface SpawnOptions {
  readonly cpu: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it can exchange messages with this process. */
  readonly hasChannel: boolean;
}

/** Starts a Node program on one processor. */
export function spawnNode(args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawnPinned(process.execPath, args, options);
}

/** Starts a program on one processor. `taskset` becomes that program, so its process id is the program's. */
export function spawnPinned(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const command = [program, ...args];
  const [file = '', ...rest] = canPin ? ['taskset', '-c', String(options.cpu), ...command] : command;
  const child = spawn(file, rest, {
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'ignore', 'pipe', ...(options.hasChannel ? (['ipc'] as const) : [])],
  });
  endAtExit(child);
  return child;
}

/** Ends a process, which other code has started, together with this one. */
export function endAtExit(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

/** Ends a process and waits until it has exited. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(force);
}
