import { reasonOf } from './deadline.ts';
import type { ResourceStatus, StatusChanges } from './state.ts';
import type { Logger } from '../../base/logger.ts';

export type StatusListener = (changes: StatusChanges) => void;

/**
 * Tells subscribers what each resource is now and every change from then on.
 * All changes of one turn of the event loop's microtasks are one batch.
 */
export class StatusFeed {
  readonly #snapshot: () => readonly ResourceStatus[];
  readonly #logger: Logger;
  readonly #listeners = new Set<StatusListener>();
  #upserted = new Map<string, ResourceStatus>();
  #removed = new Set<string>();
  #isScheduled = false;

  constructor(snapshot: () => readonly ResourceStatus[], logger: Logger) {
    this.#snapshot = snapshot;
    this.#logger = logger;
  }

  /** Calls `listener` at once with every resource there is, then with each batch of changes. Returns its undoing. */
  subscribe(listener: StatusListener): () => void {
    this.#flush();
    // Wrapped, so that a listener given twice is told twice and forgotten once.
    const own: StatusListener = (changes) => listener(changes);
    own({ upserted: this.#snapshot(), removed: [] });
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  upsert(status: ResourceStatus): void {
    this.#removed.delete(status.fullName);
    this.#upserted.set(status.fullName, status);
    this.#schedule();
  }

  remove(fullName: string): void {
    this.#upserted.delete(fullName);
    this.#removed.add(fullName);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#upserted.size === 0 && this.#removed.size === 0) return;
    const changes: StatusChanges = { upserted: [...this.#upserted.values()], removed: [...this.#removed] };
    this.#upserted = new Map();
    this.#removed = new Set();
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (thrown) {
        // One subscriber's mistake must not keep the news from the others.
        this.#logger.error(`A subscriber to resource states failed: ${reasonOf(thrown)}.`, { error: thrown });
      }
    }
  }
}
