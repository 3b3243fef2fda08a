/**
 * A first-in first-out queue read by one `for await` loop. It ends by `end`,
 * or fails by `fail` after what is queued was read.
 */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #waiting: { resolve: (result: IteratorResult<T>) => void; reject: (reason: unknown) => void } | undefined;
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  readonly #onRead: (() => void) | undefined;

  /** @param onRead called after an item was taken, for flow control */
  constructor(onRead?: () => void) {
    this.#onRead = onRead;
  }

  get size(): number {
    return this.#items.length;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Adds an item; false when the queue has ended and the item was not taken. */
  push(item: T): boolean {
    if (this.#ended) return false;
    const waiting = this.#waiting;
    if (waiting === undefined) {
      this.#items.push(item);
    } else {
      this.#waiting = undefined;
      waiting.resolve({ value: item, done: false });
      this.#onRead?.();
    }
    return true;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#waiting?.resolve({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  fail(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#waiting === undefined) this.#failure = { reason };
    else this.#waiting.reject(reason);
    this.#waiting = undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#items.length = 0;
        this.end();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  #next(): Promise<IteratorResult<T>> {
    if (this.#items.length > 0) {
      const value = this.#items.shift() as T;
      this.#onRead?.();
      return Promise.resolve({ value, done: false });
    }
    if (this.#failure !== undefined) {
      const { reason } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(reason);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }
}
