import { createHmac, randomBytes } from 'node:crypto';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';

const SETTING = 'derived_secrets_key';

/**
 * Secrets that nobody has to keep: each follows from its name and from a key in
 * the store. They are told to parts alone.
 */
export class DerivedSecrets {
  readonly #store: Store;
  #key: Promise<Buffer> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** What machines of the public ecosystem share within a location. */
  ofLocation(locationId: string): Promise<string> {
    return this.#derive(`location ${locationId}`);
  }

  /**
   * Stands for an API key where its text is asked for: a hub knows keys by their hash. Nobody has it, so a
   * machine that takes keys by their text alone lets no key of the hub in, and an empty one least of all.
   */
  inPlaceOfKey(keyId: string): Promise<string> {
    return this.#derive(`key ${keyId}`);
  }

  async #derive(name: string): Promise<string> {
    const asked = (this.#key ??= this.#readKey());
    asked.catch(() => (this.#key = undefined));
    return createHmac('sha256', await asked)
      .update(name)
      .digest('base64url');
  }

  #readKey(): Promise<Buffer> {
    return this.#store.transaction(async (tx) => {
      const known = await readSetting(tx, SETTING);
      const key = known ?? randomBytes(32).toString('base64url');
      if (known === undefined) await tx.insertInto('settings').values({ name: SETTING, value: key }).execute();
      return Buffer.from(key, 'base64url');
    });
  }
}
