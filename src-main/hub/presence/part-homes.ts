import type { Cluster } from '../cluster/cluster.ts';
import type { Store } from '../storage/store.ts';

/** At which hub parts are, for hubs that share a store. */
export class PartHomes {
  readonly #store: Store;
  readonly #cluster: Cluster;

  constructor(store: Store, cluster: Cluster) {
    this.#store = store;
    this.#cluster = cluster;
  }

  /** Id of the hub that a part is connected to, or asked last; undefined for one that is away. */
  async homeOf(partId: string): Promise<string | undefined> {
    const row = await this.#store.db
      .selectFrom('part_presence')
      .select('hub_id')
      .where('part_id', '=', partId)
      .where('is_online', '=', 1)
      .executeTakeFirst();
    const hubId = row?.hub_id ?? undefined;
    return hubId !== undefined && this.#cluster.members.all.has(hubId) ? hubId : undefined;
  }
}
