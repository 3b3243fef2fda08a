declare module '../storage/tables.ts' {
  interface Tables {
    cluster_hubs: ClusterHubsTable;
    cluster_leases: ClusterLeasesTable;
  }
}

/** The hubs that serve the store. Times are the database's, because the clocks of computers differ. */
export interface ClusterHubsTable {
  /** A new id for each start of a hub. */
  id: string;
  /** Where the other hubs reach it. */
  address: string;
  version: string;
  started_at: number;
  seen_at: number;
}

/** Leases for work that one hub does for all. */
export interface ClusterLeasesTable {
  name: string;
  hub_id: string;
  expires_at: number;
}
