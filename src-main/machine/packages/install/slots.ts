import { onAbort } from '../../../base/async/abort.ts';

/** Lets so many work at a time, in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the reason of `signal` where that aborts before it is this one's turn */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#free++;
      const [next] = this.#waiting;
      next?.();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free === 0) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#waiting.delete(done);
          forget();
          // Before anybody else runs, or two would have one slot.
          if (!signal.aborted) this.#free--;
          resolve();
        };
        let forget: () => void = () => undefined;
        this.#waiting.add(done);
        forget = onAbort(signal, done);
      });
      signal.throwIfAborted();
    } else this.#free--;
  }
}
