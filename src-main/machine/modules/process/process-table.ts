import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of `/proc` per second; the kernel uses this unit towards programs on every computer. */
export const TICKS_PER_S = 100;

/** A process of this computer, as listed by the kernel. */
export interface ProcessEntry {
  readonly pid: number;
  /** Its parent: the process that started it or, if that has ended, adopted it. */
  readonly parent: number;
  readonly group: number;
  /** It has ended and only waits to be reaped; it has no resources any more. */
  readonly isZombie: boolean;
  /** Distinguishes a process from a later one with the same id. */
  readonly startTicks: number;
  /** Processor time so far, in ticks. */
  readonly cpuTicks: number;
}

/** Field positions in `/proc/<pid>/stat` (proc_pid_stat(5)), counted after the name, which may contain anything. */
const STATE = 0;
const PARENT = 1;
const GROUP = 2;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const START_TICKS = 19;

/** Reads one line of `/proc/<pid>/stat`. */
export function parseStat(pid: number, line: string): ProcessEntry {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return {
    pid,
    parent: Number(fields[PARENT]),
    group: Number(fields[GROUP]),
    isZombie: fields[STATE] === 'Z' || fields[STATE] === 'X',
    startTicks: Number(fields[START_TICKS]),
    cpuTicks: Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]),
  };
}

/** Ids of all processes. Empty if the system has no such list. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
}

/** Undefined if the process has ended. */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Resident memory in bytes; 0 if the process has ended. */
export function residentBytes(pid: number): number {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return Number(found?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
