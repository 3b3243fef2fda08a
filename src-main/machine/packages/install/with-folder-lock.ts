import { mkdir } from 'node:fs/promises';
import { sleep, type Clock } from '../../../base/clock.ts';
import { KeyedMutex } from '../../../base/async/mutex.ts';
import { lockFolder } from '../../../base/files/folder-lock.ts';

/** How often a folder that another program has locked is tried again: another machine of this home may be downloading. */
const POLL_MS = 250;

/** Machines of this program take mutexes by it; the lock is among programs. */
const mutexes = new KeyedMutex();

/**
 * Runs `work` while holding the lock of `folder`: several machines of this computer may share one home. The lock of
 * a program that was killed is free.
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
