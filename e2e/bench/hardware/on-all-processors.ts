import { spawnSync, type ChildProcess } from 'node:child_process';
import os from 'node:os';
import { canPin } from '../pinned-process.ts';

const all = `0-${os.cpus().length - 1}`;

/**
 * Makes a command run on every processor: the bench is pinned to one of them, and its child processes would be too.
 * @returns program and arguments
 */
export function onAllProcessors(command: readonly string[]): [string, string[]] {
  const [file = '', ...args] = canPin ? ['taskset', '-c', all, ...command] : command;
  return [file, args];
}

/** The same for a running process. */
export function letOnAllProcessors({ pid }: ChildProcess): void {
  if (canPin) spawnSync('taskset', ['-acp', all, String(pid)]);
}
