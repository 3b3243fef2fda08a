import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Process ids of this computer that have `NAME=value` in their environment: also those that left their group. */
export function processesWith(name: string, value: string): number[] {
  const wanted = `${name}=${value}`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(wanted);
      } catch {
        return false; // it ended while we looked
      }
    })
    .map(Number);
}

/** Open descriptors of a process. */
export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** What the descriptors of a process are, counted by kind: for the message of a test that found too many. */
export function kindsOfDescriptors(pid: number): Readonly<Record<string, number>> {
  const kinds: Record<string, number> = {};
  for (const entry of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const kind = readlinkSync(`/proc/${pid}/fd/${entry}`).replace(/:?\[?\d+\]?$/, '');
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    } catch {
      // closed while we looked
    }
  }
  return kinds;
}

/**
 * NODE_OPTIONS of a server whose memory is measured. V8 leaves garbage lie for long where there is room: what grows with
 * little room is kept by somebody.
 */
export const COLLECTED_SOON = '--max-old-space-size=64 --max-semi-space-size=1';

/** Resident memory of a process in MiB. */
export function residentMib(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
