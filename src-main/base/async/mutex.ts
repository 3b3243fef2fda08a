import { onAbort } from './abort.ts';

/** Runs one piece of work at a time, in the order of the calls. */
export class Mutex {
  /** Never rejects. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Starts `work` after all earlier work has ended, never within this call. Settles with its result; a failure does not
   * stop later work.
   * @param signal withdraws work that has not started: this rejects with its reason, at once. Running work is not
   *   affected.
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

  /** Settles at the caller's turn, with a function that ends the turn: for work that spans several functions. */
  lock(): Promise<() => void> {
    return new Promise((resolve) => {
      void this.run(() => new Promise<void>((leave) => resolve(leave)));
    });
  }

  /** Settles when all work given before this call has ended. Never rejects. */
  idle(): Promise<void> {
    return this.#last;
  }
}

/** A {@link Mutex} for each key: work for one key does not wait for another. Keys without work take no memory. */
export class KeyedMutex<Key = string> {
  readonly #mutexes = new Map<Key, Mutex>();

  /** Like {@link Mutex.run}, for work with the same key. */
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

  /** Keys with running or waiting work. */
  get size(): number {
    return this.#mutexes.size;
  }
}

function nothing(): void {}
