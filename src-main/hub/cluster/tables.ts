declare module '../storage/tables.ts' {
  interface Tables {
    cluster_hubs: ClusterHubsTable;
    cluster_leases: ClusterLeasesTable;
  }
}

/** The hubs that serve the store together. Times are the database's: clocks of computers differ. */
export interface ClusterHubsTable {
  /** Another one each time that a hub starts. */
  id: string;
  /** Where the other hubs reach it. */
  address: string;
  version: string;
  started_at: number;
  seen_at: number;
}

/** What one of them does for all, until somebody else has to. */
export interface ClusterLeasesTable {
  name: string;
  hub_id: string;
  expires_at: number;
}
