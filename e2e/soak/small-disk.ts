import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A file system in memory, of a few megabytes, visible only to chosen programs. */
export interface SmallDisk {
  /** Its path for the programs that are run `through` it. */
  readonly folder: string;
  /** Its path for all other programs, as long as it exists. */
  readonly outside: string;
  /** Makes the disk visible to a program: a command prefix that is replaced by the program after it. */
  readonly through: readonly string[];
  remove(): Promise<void>;
}

/** The reason why no small disk can be made here; undefined where one can. */
export const whyNoSmallDisk = ((): string | undefined => {
  if (process.platform !== 'linux') return 'needs Linux';
  const tried = spawnSync('unshare', ['--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return tried.status === 0 ? undefined : 'needs unshare and the right to mount in a namespace of its own';
})();

/** Makes one. It exists until it is removed, whichever programs end meanwhile. */
export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-small-disk-'));
  const script = `mount -t tmpfs -o size=${megabytes}m,mode=0700 none ${folder} && echo mounted && read -r _`;
  const keeper = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(keeper, 'exit');
  await Promise.race([
    once(keeper.stdout, 'data'),
    ended.then(([code]) => Promise.reject(new Error(`no small disk was made: exit code ${String(code)}`))),
  ]);
  return {
    folder,
    outside: `/proc/${keeper.pid}/root${folder}`,
    through: ['nsenter', '--target', String(keeper.pid), '--user', '--mount', '--preserve-credentials'],
    remove: async () => {
      keeper.stdin.end();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Writes until there is no room for another byte. @returns a function that undoes it */
export async function fill(disk: SmallDisk): Promise<() => Promise<void>> {
  const filler = path.join(disk.outside, 'filler');
  const file = await open(filler, 'w');
  for (let bytes = 1024 * 1024; bytes >= 1;) {
    try {
      await file.write(Buffer.alloc(bytes));
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      bytes = Math.floor(bytes / 4);
    }
  }
  await file.close();
  return () => rm(filler);
}
