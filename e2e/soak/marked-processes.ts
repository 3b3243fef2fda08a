import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Process ids of this computer that have `NAME=value` in their environment, including those that left their group. */
export function processesWith(name: string, value: string): number[] {
  const wanted = `${name}=${value}`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(wanted);
      } catch {
        return false; // it exited meanwhile
      }
    })
    .map(Number);
}

/** Open descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The kinds of a process's open descriptors with their counts: for the message of a test that found too many. */
export function kindsOfDescriptors(pid: number): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const entry of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const kind = readlinkSync(`/proc/${pid}/fd/${entry}`).replace(/:?\[?\d+\]?$/, '');
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    } catch {
      // It was closed meanwhile.
    }
  }
  return kinds;
}

/**
 * NODE_OPTIONS of a server whose memory is measured. With much memory V8 keeps garbage for long: growth with little
 * memory means that something holds references.
 */
export const COLLECTED_SOON = '--max-old-space-size=64 --max-semi-space-size=1';

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
