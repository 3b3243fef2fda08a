import { spawnSync, type ChildProcess } from 'node:child_process';
import os from 'node:os';
import { canPin } from '../pinned-process.ts';

const all = `0-${os.cpus().length - 1}`;

/**
 * A command that may run on every processor: the bench is tied to one of them, and what it starts would be too.
 * @returns program and arguments
 */
export function onAllProcessors(command: readonly string[]): [string, string[]] {
  const [file = '', ...args] = canPin ? ['taskset', '-c', all, ...command] : command;
  return [file, args];
}

/** The same for one that runs already. */
export function letOnAllProcessors({ pid }: ChildProcess): void {
  if (canPin) spawnSync('taskset', ['-acp', all, String(pid)]);
}
