import { onAbort } from './abort.ts';

/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  /** Never rejects. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Begins `work` when all that was given before is over, never within this call. Settles as it does: its failure is
   * its own, and keeps nothing from the next.
   * @param signal withdraws work that has not begun: this rejects with its reason, at once. Work under way is not touched.
   */
  run<T>(work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    let unsubscribe = nothing;
    const result = this.#last.then(() => {
      unsubscribe();
      signal?.throwIfAborted();
      return work();
    });
    this.#last = result.then(nothing, nothing);
    if (signal === undefined) return result;
    return new Promise((resolve, reject) => {
      unsubscribe = onAbort(signal, () => reject(signal.reason as unknown));
      result.then(resolve, reject);
    });
  }

  /** Settles when it is the caller's turn, with what ends it: for what begins and ends in different functions. */
  lock(): Promise<() => void> {
    return new Promise((resolve) => {
      void this.run(() => new Promise<void>((leave) => resolve(leave)));
    });
  }

  /** Settles when all that was given before this call is over. Never rejects. */
  idle(): Promise<void> {
    return this.#last;
  }
}

/** A {@link Mutex} for each key: work for one key waits for none of another. Keys that nobody works for take no memory. */
export class KeyedMutex<Key = string> {
  readonly #mutexes = new Map<Key, Mutex>();

  /** As {@link Mutex.run}, among all that is given for the same key. */
  run<T>(key: Key, work: () => Promise<T> | T, signal?: AbortSignal): Promise<T> {
    const mutex = this.#mutexes.get(key) ?? new Mutex();
    this.#mutexes.set(key, mutex);
    const result = mutex.run(work, signal);
    const idle = mutex.idle();
    void idle.then(() => {
      if (mutex.idle() === idle) this.#mutexes.delete(key);
    });
    return result;
  }

  /** Keys that somebody works for, or waits to. */
  get size(): number {
    return this.#mutexes.size;
  }
}

function nothing(): void {}
