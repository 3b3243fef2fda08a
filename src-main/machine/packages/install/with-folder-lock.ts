import { mkdir } from 'node:fs/promises';
import { sleep, type Clock } from '../../../base/clock.ts';
import { KeyedMutex } from '../../../base/async/mutex.ts';
import { lockFolder } from '../../../base/files/folder-lock.ts';

/** How often a folder locked by another program is retried: another machine with this home may be downloading. */
const POLL_MS = 250;

/** Machines in this program exclude each other by mutexes; the lock is for other programs. */
const mutexes = new KeyedMutex();

/**
 * Runs `work` while holding the lock of `folder`: several machines of this computer may share one home. The lock of a
 * killed program is released.
 * @throws the reason of `signal` where that aborts while waiting
 */
export function withFolderLock<T>(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return mutexes.run(folder, () => withLockFile(folder, clock, signal, work), signal);
}

async function withLockFile<T>(folder: string, clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    signal.throwIfAborted();
    const release = lockFolder(folder);
    if (typeof release === 'function') {
      try {
        return await work();
      } finally {
        release();
      }
    }
    await sleep(clock, POLL_MS, signal);
  }
}
