declare module '../storage/tables.ts' {
  interface Tables {
    part_presence: PartPresenceTable;
    part_restarts: PartRestartsTable;
  }
}

export interface PartPresenceTable {
  part_id: string;
  /** 1 until the part counts as offline. */
  is_online: number;
  /** Start of the current time online, else of the last one. */
  online_since: number | null;
  last_seen_at: number;
  /** 1 if a local file of the part owns its configuration. */
  owns_config: number;
  version: string;
  platform: string;
  host: string;
  /** When its program was started. */
  started_at: number | null;
  /** The last StatusReport in base64; '' if there is none. */
  status: string;
  status_at: number | null;
  /**
   * The last time in which the part was not seen because its embedded hub was not running either; null if there was
   * none.
   */
  gap_began_at: number | null;
  gap_ended_at: number | null;
  /** The hub that it is or was last connected to; only that hub writes this row. */
  hub_id: string | null;
}

/** Parts that have to be asked to restart when they are back. */
export interface PartRestartsTable {
  part_id: string;
}
