declare module '../storage/tables.ts' {
  interface Tables {
    organizations: OrganizationsTable;
    locations: LocationsTable;
    machines: MachinesTable;
    parts: PartsTable;
  }
}

export interface OrganizationsTable {
  id: string;
  name: string;
  /** '' is stored as null: many have none, but nobody two. */
  public_namespace: string | null;
  region: string;
  cid: string | null;
  metadata: string;
  created_at: number;
  /** The organization to whose quota it counts; null where no key made it. */
  made_by: string | null;
}

export interface LocationsTable {
  id: string;
  organization_id: string;
  parent_id: string | null;
  name: string;
  region: string;
  metadata: string;
  created_at: number;
}

export interface MachinesTable {
  id: string;
  location_id: string;
  name: string;
  /** The name as a label of DNS: what the machine's address has in it, so unique in its location. */
  dns_label: string;
  metadata: string;
  created_at: number;
}

export interface PartsTable {
  id: string;
  machine_id: string;
  name: string;
  dns_label: string;
  is_main: number;
  metadata: string;
  created_at: number;
  /** Grows with every change, also where the clock was set back: what editors compare. */
  updated_at: number;
  /** Number of the configuration that is meant to run; 0 before the first. */
  version: number;
  /** When its machine last called; null before the first time. */
  last_access_at: number | null;
}
