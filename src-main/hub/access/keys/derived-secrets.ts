import { createHmac, randomBytes } from 'node:crypto';
import { readSetting } from '../../storage/settings.ts';
import type { Store } from '../../storage/store.ts';

const SETTING = 'derived_secrets_key';

/** Secrets that need no storage: each is derived from its name and one key in the store. Only parts receive them. */
export class DerivedSecrets {
  readonly #store: Store;
  #key: Promise<Buffer> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The secret that machines of the public ecosystem share within a location. */
  ofLocation(locationId: string): Promise<string> {
    return this.#derive(`location ${locationId}`);
  }

  /**
   * A placeholder where the plain text of an API key is expected, because the hub stores only hashes. Nobody has this
   * secret, so a machine that knows keys only by their text admits no key of the hub. An empty text could admit an
   * empty key.
   */
  keyPlaceholder(keyId: string): Promise<string> {
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
