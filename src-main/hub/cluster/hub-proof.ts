import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { readSetting } from '../storage/settings.ts';
import type { Store } from '../storage/store.ts';

/** Of a call that another hub has passed on. */
export const HUB_PROOF_HEADER = 'armature-hub';

const KEY = 'hub_proof_key';

/** Clocks of two computers may differ by so much. */
const GOOD_FOR_MS = 300_000;

/**
 * Shows that who passes a call on is a hub of the same store: an HMAC-SHA-256 (RFC 2104) by a key that is in the
 * store alone, for one receiver and for some minutes. Lets nobody do anything: the caller's own token goes with it.
 */
export class HubProof {
  readonly #hubId: string;
  readonly #key: string;
  readonly #clock: Clock;

  /** @param key known to the hubs of the store alone */
  constructor(hubId: string, key: string, clock: Clock) {
    this.#hubId = hubId;
    this.#key = key;
    this.#clock = clock;
  }

  /** With the key of the store, which the first hub makes. Throws where the store cannot be read. */
  static async open(store: Store, hubId: string, clock: Clock): Promise<HubProof> {
    const value = randomBytes(32).toString('base64url');
    const row = store.db.insertInto('settings').values({ name: KEY, value });
    await row.onConflict((conflict) => conflict.column('name').doNothing()).execute();
    return new HubProof(hubId, (await readSetting(store.db, KEY)) ?? '', clock);
  }

  /** Value of the header for a call to another hub. */
  for(receiverId: string): string {
    const time = this.#clock.now();
    return `${this.#hubId} ${time} ${this.#mac(this.#hubId, receiverId, time)}`;
  }

  /** Whether a header comes from another hub, and is for this one. */
  isGood(header: string | undefined): boolean {
    const [, sender = '', time = '', mac = ''] = /^(\S{1,64}) (\d{1,15}) ([\w-]{43})$/.exec(header ?? '') ?? [];
    if (mac === '' || Math.abs(this.#clock.now() - Number(time)) > GOOD_FOR_MS) return false;
    return timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(sender, this.#hubId, Number(time))));
  }

  #mac(sender: string, receiver: string, time: number): string {
    return createHmac('sha256', this.#key).update(`passed on ${sender} ${receiver} ${time}`).digest('base64url');
  }
}
