import { mkdir } from 'node:fs/promises';
import { onAbort } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { lockFolder } from '../logging/folder-lock.ts';

/** How often a folder that somebody else has is looked at: another machine of this home may be downloading. */
const LOOK_MS = 250;

/** Whoever of this program works in a folder, or waits to: the last of them. */
const lastOf = new Map<string, Promise<void>>();

/**
 * Does `work` while nobody else of this computer works in `folder`: several machines may share one home. The folder of
 * a program that was killed is free.
 * @throws the reason of `signal` where that aborts while waiting
 */
export async function inFolderTurn<T>(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const before = lastOf.get(folder);
  let done: () => void = () => undefined;
  const own = new Promise<void>((resolve) => (done = resolve));
  const last = (before ?? Promise.resolve()).then(() => own);
  lastOf.set(folder, last);
  try {
    await settledOrAborted(before, signal);
    return await whileLocked(folder, clock, signal, work);
  } finally {
    done();
    if (lastOf.get(folder) === last) lastOf.delete(folder);
  }
}

function settledOrAborted(before: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (before === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const forget = onAbort(signal, resolve);
    void before.then(() => {
      forget();
      resolve();
    });
  });
}

async function whileLocked<T>(folder: string, clock: Clock, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
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
    await delay(clock, LOOK_MS, signal);
  }
}

/** Settles after `ms`, or as soon as `signal` aborts. */
export function delay(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      timer.cancel();
      forget();
      resolve();
    };
    const timer = clock.after(ms, done);
    let forget: () => void = () => undefined;
    forget = onAbort(signal, done);
  });
}
