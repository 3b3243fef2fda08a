import { ChangeBatches } from '../../base/async/change-batches.ts';
import { reasonOf } from './reason-of.ts';
import type { ResourceStatus, StatusChanges } from './state.ts';
import type { Logger } from '../../base/logger.ts';

export type StatusListener = (changes: StatusChanges) => void;

/** Sends subscribers the status of each resource, and then every change. */
export class StatusFeed {
  readonly #snapshot: () => readonly ResourceStatus[];
  readonly #batches: ChangeBatches<ResourceStatus>;

  constructor(snapshot: () => readonly ResourceStatus[], logger: Logger) {
    this.#snapshot = snapshot;
    this.#batches = new ChangeBatches((thrown) =>
      logger.error(`A subscriber to resource states failed: ${reasonOf(thrown)}.`, { error: thrown }),
    );
  }

  /**
   * Calls `listener` at once with every resource there is, then with each batch of changes. Returns an unsubscribe
   * function.
   */
  subscribe(listener: StatusListener): () => void {
    this.#batches.flush();
    listener({ upserted: this.#snapshot(), removed: [] });
    return this.#batches.subscribe(listener);
  }

  upsert(status: ResourceStatus): void {
    this.#batches.upsert(status.fullName, status);
  }

  remove(fullName: string): void {
    this.#batches.remove(fullName);
  }
}
