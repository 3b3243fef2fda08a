declare module '../storage/tables.ts' {
  interface Tables {
    unsettled_blobs: UnsettledBlobsTable;
  }
}

/** Blobs that may have no reference: they are being stored or removed, or a crash has left them over. */
export interface UnsettledBlobsTable {
  /** The feature of the hub that owns the blob. */
  area: string;
  sha256: string;
  /** The hub that is storing or removing it; null for rows from before hubs could share a store. */
  hub_id: string | null;
}
