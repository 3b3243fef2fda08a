import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { ProcessCommand } from '../process/module-process.ts';
import type { Cgroup } from './cgroup.ts';

/**
 * Enters the cgroup whose `cgroup.procs` is the first argument, and becomes the rest: the process keeps its id. If it
 * cannot enter, which the shell reports on standard error, it runs anyway.
 */
export const JOIN_AND_RUN = ['/bin/sh', '-c', 'echo $$ >"$1"; shift; exec "$@"', 'sh'] as const;

/** What a shell takes over from its environment and hands on; others it may drop. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The command, wrapped to run in a cgroup. Left unchanged are a program that cannot be started, so that the error is
 * its own, and one with variables that the shell would drop. The isolation command is found by name and runs a shell
 * itself.
 */
export function joinedCommand(command: ProcessCommand, cgroup: Cgroup): ProcessCommand {
  const { executable, args, environment } = command;
  const isChanged = !canStart(executable) || Object.keys(environment).some((name) => !SHELL_NAME.test(name));
  if (path.isAbsolute(executable) && isChanged) return command;
  const [shell, ...before] = JOIN_AND_RUN;
  return { ...command, executable: shell, args: [...before, cgroup.members, executable, ...args] };
}

/** The longest first line that Linux reads of a script (BINPRM_BUF_SIZE). */
const FIRST_LINE_BYTES = 256;

/** Whether a file and the program that its first line names may be run. */
function canStart(executable: string): boolean {
  try {
    accessSync(executable, constants.X_OK);
    const [, interpreter] = /^#![ \t]*([^\s\0]+)/.exec(firstBytes(executable)) ?? [];
    if (interpreter !== undefined) accessSync(interpreter, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** '' of a file that may be run and not read, which is no script. */
function firstBytes(file: string): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, FIRST_LINE_BYTES, 0));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
