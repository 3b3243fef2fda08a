import os from 'node:os';
import { canPin } from '../pinned-process.ts';

/**
 * A command that may run on every processor: the bench is tied to one of them, and what it starts would be too.
 * @returns program and arguments
 */
export function onAllProcessors(command: readonly string[]): [string, string[]] {
  const all = `0-${os.cpus().length - 1}`;
  const [file = '', ...args] = canPin ? ['taskset', '-c', all, ...command] : command;
  return [file, args];
}
