declare module '../storage/tables.ts' {
  interface Tables {
    dashboards: DashboardsTable;
  }
}

export interface DashboardsTable {
  part_id: string;
  /** Unique for the part. */
  id: string;
  name: string;
  revision: string;
  /** JSON (`proto/config/dashboards/dashboard-json.ts`). */
  tiles: string;
}
