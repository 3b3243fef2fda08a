import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { ProcessCommand } from '../process/module-process.ts';
import type { Cgroup } from './cgroup.ts';

/**
 * Enters the cgroup whose `cgroup.procs` is the first argument, then executes the rest: the process keeps its id. If it
 * cannot enter, the shell reports that on standard error and the program runs anyway.
 */
export const JOIN_AND_RUN = ['/bin/sh', '-c', 'echo $$ >"$1"; shift; exec "$@"', 'sh'] as const;

/** Names of variables that a shell passes on; it may drop others. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Wraps the command so that it runs in a cgroup. Two kinds are left unchanged: a program that cannot be started, so
 * that its own error is reported, and one with variables that the shell would drop. The isolation command is found by
 * name and runs a shell itself.
 */
export function joinedCommand(command: ProcessCommand, cgroup: Cgroup): ProcessCommand {
  const { executable, args, environment } = command;
  const isChanged = !canStart(executable) || Object.keys(environment).some((name) => !SHELL_NAME.test(name));
  if (path.isAbsolute(executable) && isChanged) return command;
  const [shell, ...before] = JOIN_AND_RUN;
  return { ...command, executable: shell, args: [...before, cgroup.members, executable, ...args] };
}

/** The longest first line of a script that Linux reads (BINPRM_BUF_SIZE). */
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

/** '' if the file may be executed but not read: then it is not a script. */
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
