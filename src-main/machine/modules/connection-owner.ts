import { readdir, readlink } from 'node:fs/promises';
import { otherEndOf, type OwnEnd } from '../../rpc/tcp-table.ts';
import { processIds, readProcess, type ProcessEntry } from './process-table.ts';

/** Whose the other end of a connection is: `unknown` where the system has no list of its connections. */
export type Owner = 'module' | 'somebody-else' | 'unknown';

/**
 * Finds whether the other end of a connection within this computer is held by a process, by one of its group, or by one
 * that any of these started. A process whose descriptors this user may not read counts as somebody else's.
 * @param leader the process that was started, with a group of its own
 */
export async function ownerOf(end: OwnEnd, leader: number): Promise<Owner> {
  const other = await otherEndOf(end);
  if (other === 'unknown') return other;
  if (other === undefined || leader <= 0) return 'somebody-else';
  for (const pid of treeOf(leader)) {
    if (await holds(pid, other.inode)) return 'module';
  }
  return 'somebody-else';
}

/** The process, its group, and all that they started and that still have them for parents; the process first. */
function treeOf(leader: number): readonly number[] {
  const all = processIds()
    .map(readProcess)
    .filter((entry): entry is ProcessEntry => entry !== undefined);
  const found = new Set([leader]);
  for (const { pid, group } of all) if (group === leader) found.add(pid);
  // A process stands in the list before those that it started, except where the ids have begun anew.
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

async function holds(pid: number, inode: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  // It has ended, or is another user's.
  const descriptors = await readdir(folder).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}
