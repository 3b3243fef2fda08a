import path from 'node:path';
import { isWithin } from '../isolation/mount-script.ts';

/**
 * The folder of a process's cgroup (version 2), wherever that tree is mounted: alone, or next to trees of version 1.
 * Undefined if there is none, or the mount does not show it.
 * @param mounts `/proc/<pid>/mountinfo`, see proc_pid_mountinfo(5)
 * @param memberships `/proc/<pid>/cgroup`, see cgroups(7)
 */
export function ownCgroup(mounts: string, memberships: string): string | undefined {
  const own = /^0::(\/.*)$/m.exec(memberships)?.[1];
  // `..` is outside the namespace of this process.
  if (own === undefined || own.endsWith(' (deleted)') || own.split('/').includes('..')) return undefined;
  for (const line of mounts.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    if (source.split(' ')[0] !== 'cgroup2') continue;
    const [, , , root = '', place = ''] = mount.split(' ').map(unescaped);
    if (isWithin(own, root)) return path.join(place, path.relative(root, own));
  }
  return undefined;
}

/** The decoded path: spaces, tabs, line ends and backslashes are octal numbers in the file. */
function unescaped(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
