declare module '../storage/tables.ts' {
  interface Tables {
    signaling_waits: SignalingWaitsTable;
  }
}

/** Machines of the public ecosystem that wait for callers. */
export interface SignalingWaitsTable {
  part_id: string;
  /** The hub that they wait at. */
  hub_id: string;
}
