import { readFileSync, writeFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import { CannotMeasure } from './measure.ts';

/** Linux counts processor time in hundredths of a second on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

function read(child: ChildProcess, file: string): string {
  try {
    return readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  } catch {
    throw new CannotMeasure(`/proc/PID/${file} cannot be read; it needs Linux`);
  }
}

/** Total processor time of all threads of a process, in microseconds. Steps of 10 ms. */
export function cpuMicros(child: ChildProcess): number {
  const stat = read(child, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // a name may have spaces; it ends with the last ')'
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
  return ((userTicks + systemTicks) / TICKS_PER_SECOND) * 1e6;
}

export interface MemoryFigures {
  /** Resident, shared pages divided among those that share them; MiB. */
  readonly pssMib: number;
  /** Resident, MiB. */
  readonly rssMib: number;
  /** Of that, not backed by a file: heaps and stacks; MiB. */
  readonly anonymousMib: number;
}

/** Memory of a process without its children. */
export function memoryOf(child: ChildProcess): MemoryFigures {
  const text = read(child, 'smaps_rollup');
  const mib = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
  return { pssMib: mib('Pss'), rssMib: mib('Rss'), anonymousMib: mib('Anonymous') };
}

/** Resets the peak for {@link peakMib}. */
export function forgetPeak(child: ChildProcess): void {
  try {
    writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
  } catch {
    throw new CannotMeasure('/proc/PID/clear_refs cannot be written; it needs Linux');
  }
}

/** Peak resident memory since {@link forgetPeak}, MiB. */
export function peakMib(child: ChildProcess): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(read(child, 'status'))?.[1]) / 1024;
}
