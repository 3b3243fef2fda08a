declare module '../storage/tables.ts' {
  interface Tables {
    unsettled_blobs: UnsettledBlobsTable;
  }
}

/** Blobs of which it is not known whether something names them: a program that ended in the middle left them so. */
export interface UnsettledBlobsTable {
  /** Whose they are: a feature of the hub. */
  area: string;
  sha256: string;
  /** The hub that is at it; null for one of before there were several. */
  hub_id: string | null;
}
