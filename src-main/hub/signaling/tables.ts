declare module '../storage/tables.ts' {
  interface Tables {
    signaling_waits: SignalingWaitsTable;
  }
}

/** Where machines of the public ecosystem wait for callers. */
export interface SignalingWaitsTable {
  part_id: string;
  /** The hub where the machine waits. */
  hub_id: string;
}
