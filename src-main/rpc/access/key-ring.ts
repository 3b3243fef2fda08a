import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256, type AcceptedKey, type KeyRole } from './access-policy.ts';

/** The accepted keys. Comparing takes the same time whether the id, the key or neither is right. */
export class KeyRing {
  readonly #keys = new Map<string, Uint8Array>();
  readonly #fingerprints = new Map<string, string>();
  readonly #roles = new Map<string, KeyRole>();
  readonly #decoy: Uint8Array;
  readonly #isEmpty: boolean;

  /** @param bootSecret makes fingerprints that say nothing about a key outside this process */
  constructor(keys: readonly AcceptedKey[], bootSecret: Uint8Array) {
    for (const key of keys) {
      this.#keys.set(key.id, key.sha256);
      this.#roles.set(key.id, key.role);
      this.#fingerprints.set(key.id, createHmac('sha256', bootSecret).update(key.sha256).digest('base64url'));
    }
    this.#isEmpty = keys.every(({ isOfModules }) => isOfModules === true);
    this.#decoy = createHmac('sha256', bootSecret).update('decoy').digest();
  }

  /** Whether there is no key that a person or a client could have. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Whether `key` is the key of that id. */
  matches(id: string, key: string): boolean {
    const expected = this.#keys.get(id);
    const isEqual = timingSafeEqual(sha256(key), expected ?? this.#decoy);
    return isEqual && expected !== undefined;
  }

  /** The role of the holder of the key with this id; undefined for an id that is not accepted. */
  role(id: string): KeyRole | undefined {
    return this.#roles.get(id);
  }

  /** Distinguishes keys with the same id; undefined for an id that is not accepted. */
  fingerprint(id: string): string | undefined {
    return this.#fingerprints.get(id);
  }
}
