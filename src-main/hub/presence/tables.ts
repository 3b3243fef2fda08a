declare module '../storage/tables.ts' {
  interface Tables {
    part_presence: PartPresenceTable;
    part_restarts: PartRestartsTable;
  }
}

export interface PartPresenceTable {
  part_id: string;
  /** 1 until it was declared to be away. */
  is_online: number;
  /** Begin of the present time online, else of the latest. */
  online_since: number | null;
  last_seen_at: number;
  /** 1 where a file of the part owns its configuration. */
  owns_config: number;
  version: string;
  platform: string;
  host: string;
  /** When its program was started. */
  started_at: number | null;
  /** The last StatusReport, base64; '' for none. */
  status: string;
  status_at: number | null;
  /** A time in which nobody could see it, because its hub was away with it; null where there was none. */
  gap_began_at: number | null;
  gap_ended_at: number | null;
  /** The hub that it is connected to, or was last: that one alone writes the rest. */
  hub_id: string | null;
}

/** Parts that are to end as soon as they can be told. */
export interface PartRestartsTable {
  part_id: string;
}
