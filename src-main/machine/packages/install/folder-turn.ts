import { mkdir } from 'node:fs/promises';
import { sleep, type Clock } from '../../../base/clock.ts';
import { KeyedMutex } from '../../../base/async/mutex.ts';
import { lockFolder } from '../../../base/files/folder-lock.ts';

/** How often a folder that somebody else has is looked at: another machine of this home may be downloading. */
const LOOK_MS = 250;

/** Machines of this program take turns by it; the lock is among programs. */
const turns = new KeyedMutex();

/**
 * Does `work` while nobody else of this computer works in `folder`: several machines may share one home. The folder of
 * a program that was killed is free.
 * @throws the reason of `signal` where that aborts while waiting
 */
export function inFolderTurn<T>(folder: string, clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return turns.run(folder, () => whileLocked(folder, clock, signal, work), signal);
}

async function whileLocked<T>(folder: string, clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
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
    await sleep(clock, LOOK_MS, signal);
  }
}
