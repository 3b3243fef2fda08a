declare module '../storage/tables.ts' {
  interface Tables {
    part_logs: PartLogsTable;
    part_log_entries: PartLogEntriesTable;
  }
}

/** A log of a part; a part that lost its own begins another. */
export interface PartLogsTable {
  part_id: string;
  /** As the part names it. */
  log_id: string;
  /** From 0, in the order in which they were begun. */
  log_number: number;
  /** Highest number of it that is stored for good. */
  stored_seq: number;
}

export interface PartLogEntriesTable {
  part_id: string;
  /** Number in its log, and above it that of the log: rises with each entry. */
  position: number;
  /** By the clock of the part. */
  time: number;
  /** When the hub received it, in the time of `logs/log-time.ts`. */
  received_at: number;
  /** 1 debug, 2 info, 3 warning, 4 error, as core.log.v1 has them. */
  level: number;
  logger: string;
  message: string;
  /** JSON. */
  fields: string;
  resource: string;
  caller: string;
  repeat_count: number;
  first_time: number | null;
}
