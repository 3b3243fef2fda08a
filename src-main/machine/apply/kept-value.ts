import { Mutex } from '../../base/async/mutex.ts';
import { toArmatureError } from '../../base/errors.ts';
import type { KeptRecord } from '../../base/files/json-record.ts';

/** One value that outlives the server. Writes take turns: the last word is the one that stays. */
export class KeptValue<T> {
  readonly #record: KeptRecord<T>;
  readonly #onTrouble: (value: T | undefined, message: string) => void;
  readonly #writes = new Mutex();
  /** What the record holds, or is about to. */
  #last: T | undefined;

  /** @param onTrouble told why a value was not kept that nobody waited for */
  constructor(record: KeptRecord<T>, onTrouble: (value: T | undefined, message: string) => void) {
    this.#record = record;
    this.#onTrouble = onTrouble;
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

  /** The same for who does not wait for it; nothing where it is kept already. */
  set(value: T | undefined): void {
    if (value === this.#last) return;
    this.save(value).catch((thrown: unknown) => this.#onTrouble(value, toArmatureError(thrown).message));
  }

  /** Settles when all that was given before is kept, or could not be. Never rejects. */
  settled(): Promise<void> {
    return this.#writes.idle();
  }
}
