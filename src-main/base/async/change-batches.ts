import { Emitter } from './emitter.ts';

/** Changes since the last batch, by name; entries are complete. */
export interface Changes<T> {
  readonly upserted: readonly T[];
  readonly removed: readonly string[];
}

/** Reports changes to listeners, all of one turn of the event loop's microtasks as one batch. */
export class ChangeBatches<T> {
  readonly #changed: Emitter<Changes<T>>;
  #upserted = new Map<string, T>();
  #removed = new Set<string>();
  #isScheduled = false;

  /** @param onFailure called when a listener threw; the other listeners are still called */
  constructor(onFailure: (thrown: unknown) => void) {
    this.#changed = new Emitter(onFailure);
  }

  get hasListeners(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns an unsubscribe function. */
  subscribe(listener: (changes: Changes<T>) => void): () => void {
    return this.#changed.on(listener);
  }

  upsert(name: string, value: T): void {
    this.#removed.delete(name);
    this.#upserted.set(name, value);
    this.#schedule();
  }

  remove(name: string): void {
    this.#upserted.delete(name);
    this.#removed.add(name);
    this.#schedule();
  }

  /** Reports the changes so far, now. */
  flush(): void {
    if (this.#upserted.size === 0 && this.#removed.size === 0) return;
    const changes: Changes<T> = { upserted: [...this.#upserted.values()], removed: [...this.#removed] };
    this.#upserted = new Map();
    this.#removed = new Set();
    this.#changed.emit(changes);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}
