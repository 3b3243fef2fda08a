import { onAbort } from '../../../base/async/abort.ts';

/** Limits how many tasks run at once; the others wait in the order of their calls. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the reason of `signal` if that aborts while waiting */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#acquire(signal);
    try {
      return await work();
    } finally {
      this.#free++;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free === 0) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#waiting.delete(done);
          unsubscribe();
          // Taken over synchronously, or two tasks would get one permit.
          if (!signal.aborted) this.#free--;
          resolve();
        };
        let unsubscribe: () => void = () => undefined;
        this.#waiting.add(done);
        unsubscribe = onAbort(signal, done);
      });
      signal.throwIfAborted();
    } else this.#free--;
  }
}
