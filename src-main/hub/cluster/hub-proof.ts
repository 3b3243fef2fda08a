import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';

/** Header of a call that another hub has forwarded. */
export const HUB_PROOF_HEADER = 'armature-hub';

const KEY = 'hub_proof_key';

/** Accepted age of a proof; covers the difference between the clocks of two computers. */
const MAX_AGE_MS = 300_000;

/**
 * Proves that a forwarded call comes from a hub of the same store: an HMAC-SHA-256 (RFC 2104) with a key in the store,
 * for one receiver and a few minutes. It grants no rights: the caller's own token is sent too.
 */
export class HubProof {
  readonly #hubId: string;
  readonly #key: string;
  readonly #clock: Clock;

  /** @param key known only to the hubs of the store */
  constructor(hubId: string, key: string, clock: Clock) {
    this.#hubId = hubId;
    this.#key = key;
    this.#clock = clock;
  }

  /** Opens it with the key in the store, which the first hub creates. Throws if the store cannot be read. */
  static async open(store: Store, hubId: string, clock: Clock): Promise<HubProof> {
    const value = randomBytes(32).toString('base64url');
    const row = store.db.insertInto('settings').values({ name: KEY, value });
    await row.onConflict((conflict) => conflict.column('name').doNothing()).execute();
    return new HubProof(hubId, (await readSetting(store.db, KEY)) ?? '', clock);
  }

  /** The header value for a call to another hub. */
  for(receiverId: string): string {
    const time = this.#clock.now();
    return `${this.#hubId} ${time} ${this.#mac(this.#hubId, receiverId, time)}`;
  }

  /** Whether a header was made by another hub of the store, for this hub. */
  isGood(header: string | undefined): boolean {
    const [, sender = '', time = '', mac = ''] = /^(\S{1,64}) (\d{1,15}) ([\w-]{43})$/.exec(header ?? '') ?? [];
    if (mac === '' || Math.abs(this.#clock.now() - Number(time)) > MAX_AGE_MS) return false;
    return timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(sender, this.#hubId, Number(time))));
  }

  #mac(sender: string, receiver: string, time: number): string {
    return createHmac('sha256', this.#key).update(`passed on ${sender} ${receiver} ${time}`).digest('base64url');
  }
}
