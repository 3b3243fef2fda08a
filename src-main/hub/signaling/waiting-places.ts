import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../storage/store.ts';

/** Records at which hub each machine waits for callers, if several hubs share a store. */
export class WaitingPlaces {
  readonly #store: Store;
  readonly #cluster: Cluster;

  constructor(store: Store, cluster: Cluster) {
    this.#store = store;
    this.#cluster = cluster;
  }

  /** Id of the hub where a machine waits; undefined if it waits at none. */
  async hubOf(partId: string): Promise<string | undefined> {
    const { members } = this.#cluster;
    const row = this.#store.db.selectFrom('signaling_waits').select('hub_id').where('part_id', '=', partId);
    const hubId = (await row.executeTakeFirst())?.hub_id;
    return hubId !== undefined && members.all.has(hubId) ? hubId : undefined;
  }

  /** Records that the machine waits at this hub. */
  async add(partId: string): Promise<void> {
    const { hubId: hub_id, isShared } = this.#cluster;
    if (!isShared) return;
    const row = this.#store.db.insertInto('signaling_waits').values({ part_id: partId, hub_id });
    await row.onConflict((conflict) => conflict.column('part_id').doUpdateSet({ hub_id })).execute();
  }

  /** Removes the record, if it is for this hub. */
  async remove(partId: string): Promise<void> {
    const { hubId, isShared } = this.#cluster;
    if (!isShared) return;
    const row = this.#store.db.deleteFrom('signaling_waits').where('part_id', '=', partId);
    await row.where('hub_id', '=', hubId).execute();
  }
}
