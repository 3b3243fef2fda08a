import path from 'node:path';
import { isWithin } from '../isolation/mount-script.ts';

/**
 * The folder of the cgroup of version 2 that a process is in, wherever that tree is mounted: alone, or beside trees of
 * version 1. Undefined where there is none, or where the mount does not show it.
 * @param mounts `/proc/<pid>/mountinfo`, as in proc_pid_mountinfo(5)
 * @param memberships `/proc/<pid>/cgroup`, as in cgroups(7)
 */
export function ownCgroup(mounts: string, memberships: string): string | undefined {
  const own = /^0::(\/.*)$/m.exec(memberships)?.[1];
  // `..` is outside of what the namespace of this process shows.
  if (own === undefined || own.endsWith(' (deleted)') || own.split('/').includes('..')) return undefined;
  for (const line of mounts.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    if (source.split(' ')[0] !== 'cgroup2') continue;
    const [, , , root = '', place = ''] = mount.split(' ').map(unescaped);
    if (isWithin(own, root)) return path.join(place, path.relative(root, own));
  }
  return undefined;
}

/** A path as it is: spaces, tabs, line ends and backslashes are octal numbers there. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
