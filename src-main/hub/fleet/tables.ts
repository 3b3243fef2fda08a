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
  /** Null if it has none: the column is unique, which allows several nulls but not several ''. */
  public_namespace: string | null;
  region: string;
  cid: string | null;
  metadata: string;
  created_at: number;
  /** The organization whose quota it counts towards; null if no key created it. */
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
  /** The name as a DNS label in the machine's address; unique in its location. */
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
  /** Goes up with every change, even if the clock was set back; editors compare it. */
  updated_at: number;
  /** Number of the current configuration; 0 before the first. */
  version: number;
  /** When the part was last seen; null if never. */
  last_access_at: number | null;
}
