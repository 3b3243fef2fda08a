import type { Action } from '../../../proto/config/permissions.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { Credentials } from './keys/credentials.ts';
import type { Identify } from './guarded.ts';
import type { Store } from '../storage/store.ts';

/** How long a permission is cached: a page that drives a motor makes many calls a second. */
const CACHE_MS = 2_000;
const MAX_CACHED = 1_000;

export interface OperatePermissionOptions {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly identify: Identify;
}

/**
 * Decides who may call the services of machines, through the hub or at a port shared with it. A key that is revoked or
 * loses rights is refused at once; when a machine is moved in the fleet, that takes effect within two seconds.
 */
export class OperatePermission {
  readonly #options: OperatePermissionOptions;
  /** Expiry (monotonic time) by caller, part and action. */
  readonly #found = new Map<string, number>();

  constructor(options: OperatePermissionOptions) {
    this.#options = options;
    options.credentials.onLoss(() => this.#found.clear());
  }

  /**
   * @returns undefined if the permission is cached, or if the method needs none that is checked here
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
    if (this.#found.size >= MAX_CACHED) this.#found.clear();
    this.#found.set(key, clock.monotonic() + CACHE_MS);
  }
}
