import { setTimeout } from 'node:timers/promises';
import { readdirSync } from 'node:fs';
import { processIds, readProcess } from '../process/process-table.ts';

/** Whether a process (or with a negative id, a group) has a running member. A zombie does not count. */
export function isAlive(id: number): boolean {
  return processIds().some((pid) => {
    const found = readProcess(pid);
    return found !== undefined && !found.isZombie && (id < 0 ? found.group === -id : pid === id);
  });
}

/** Settles when none of its processes is running; rejects after `limitMs`. */
export async function ended(id: number, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs;
  while (isAlive(id)) {
    if (performance.now() > until) throw new Error(`${id} still runs after ${limitMs} ms`);
    await setTimeout(20);
  }
}

/** How many descriptors this process has open. */
export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
