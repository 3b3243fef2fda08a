import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const FILE = 'in-use';

/**
 * Locks a folder for this process, or returns the process that has locked it. The lock of a process that has ended, by
 * a kill or a power cut, is taken over.
 * @returns its release, or the id of the process that holds the folder
 */
export function lockFolder(folder: string): (() => void) | { readonly heldBy: number } {
  const file = path.join(folder, FILE);
  const own = identityOf(process.pid);
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, `${process.pid} ${own}\n`, { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || attempt === 2) throw thrown;
    }
    const [pid = '', identity = ''] = textOf(file).trim().split(' ');
    const holder = Number(pid);
    if (Number.isSafeInteger(holder) && holder > 0 && isAlive(holder) && identityOf(holder) === identity) {
      return { heldBy: holder };
    }
    rmSync(file, { force: true });
  }
}

/** '' if the file is missing: its holder has just released it. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw thrown;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Distinguishes a process from a later one with the same id: on Linux, by its start time in this run of the computer.
 * Elsewhere, only the id is used.
 */
function identityOf(pid: number): string {
  if (process.platform !== 'linux') return '-';
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain spaces; the 20th field after it is the start time.
    const startedAt = status.slice(status.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot}/${startedAt ?? ''}`;
  } catch {
    return '-'; // no /proc: as on other systems
  }
}
