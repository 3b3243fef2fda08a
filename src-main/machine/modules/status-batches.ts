import type { ModuleChanges, ModuleStatus } from './module-status.ts';

type Listener = (changes: ModuleChanges) => void;

/** Tells of changed modules, all changes of one turn of the event loop's microtasks as one. */
export class StatusBatches {
  readonly #statusOf: (name: string) => ModuleStatus | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #upserted = new Set<string>();
  readonly #removed = new Set<string>();
  #isScheduled = false;

  constructor(statusOf: (name: string) => ModuleStatus | undefined) {
    this.#statusOf = statusOf;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  subscribe(listener: Listener): () => void {
    const own: Listener = (changes) => listener(changes);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  changed(name: string): void {
    this.#removed.delete(name);
    this.#upserted.add(name);
    this.#schedule();
  }

  removed(name: string): void {
    this.#upserted.delete(name);
    this.#removed.add(name);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      const upserted = [...this.#upserted].flatMap((name) => this.#statusOf(name) ?? []);
      const removed = [...this.#removed];
      this.#upserted.clear();
      this.#removed.clear();
      for (const listener of [...this.#listeners]) listener({ upserted, removed });
    });
  }
}
