import { Mutex } from '../../base/async/mutex.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { PersistentRecord } from '../../base/files/json-record.ts';

/** One value that survives a restart of the server. Writes are serialized; the last one wins. */
export class PersistedValue<T> {
  readonly #record: PersistentRecord<T>;
  readonly #onError: (value: T | undefined, message: string) => void;
  readonly #writes = new Mutex();
  /** What the record holds, or will hold after the pending write. */
  #last: T | undefined;

  /** @param onError called with the reason if a value from {@link set} could not be saved */
  constructor(record: PersistentRecord<T>, onError: (value: T | undefined, message: string) => void) {
    this.#record = record;
    this.#onError = onError;
  }

  async load(): Promise<T | undefined> {
    this.#last = await this.#record.load();
    return this.#last;
  }

  /** Rejects with `file.unwritable`. */
  save(value: T | undefined): Promise<void> {
    this.#last = value;
    return this.#writes.run(() => this.#record.save(value));
  }

  /** Like {@link save}, but does not wait. Does nothing if the value is already saved. */
  set(value: T | undefined): void {
    if (value === this.#last) return;
    this.save(value).catch((thrown: unknown) => this.#onError(value, toArmatureError(thrown).message));
  }

  /** Settles when all earlier writes have finished or failed. Never rejects. */
  settled(): Promise<void> {
    return this.#writes.idle();
  }
}
