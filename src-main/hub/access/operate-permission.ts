import type { Action } from '../../../proto/config/permissions.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Credentials } from './keys/credentials.ts';
import type { Identify } from './guarded.ts';
import type { Store } from '../storage/store.ts';

/** What was found counts so long: a page that drives a motor calls many times a second. */
const FRESH_MS = 2_000;
const MOST_KNOWN = 1_000;

export interface OperatePermissionOptions {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly identify: Identify;
}

/**
 * Who may call the services of machines themselves, through their hub or behind
 * one port with it. A revoked key, and one that may do less, loses this at once;
 * a machine that was moved in the fleet follows within two seconds.
 */
export class OperatePermission {
  readonly #options: OperatePermissionOptions;
  /** Until when, by caller, part and action; monotonic time. */
  readonly #found = new Map<string, number>();

  constructor(options: OperatePermissionOptions) {
    this.#options = options;
    options.credentials.onLoss(() => this.#found.clear());
  }

  /**
   * @returns undefined where it is known that the caller may, or the method needs nothing that can be told here
   * @throws {ArmatureError} `access.denied`, `call.not_found`
   */
  require(call: ServerCall, partId: string): Promise<void> | undefined {
    const { principal, method } = call;
    const { needs } = method.traits;
    if (needs === 'anyone' || needs === 'hub') return undefined;
    const key = `${principal.kind} ${principal.entity} ${partId} ${needs}`;
    if ((this.#found.get(key) ?? 0) > this.#options.clock.monotonic()) return undefined;
    return this.#look(call, key, partId, needs);
  }

  async #look(call: ServerCall, key: string, partId: string, action: Action): Promise<void> {
    const { store, clock, identify } = this.#options;
    const caller = await identify(call);
    await caller.require(action, { type: 'part', id: partId }, store.db);
    if (this.#found.size >= MOST_KNOWN) this.#found.clear();
    this.#found.set(key, clock.monotonic() + FRESH_MS);
  }
}
