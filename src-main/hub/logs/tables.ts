declare module '../storage/tables.ts' {
  interface Tables {
    part_logs: PartLogsTable;
    part_log_entries: PartLogEntriesTable;
  }
}

/** A log of a part. A part that has lost its log file begins another one. */
export interface PartLogsTable {
  part_id: string;
  /** Chosen by the part. */
  log_id: string;
  /** From 0, in the order in which the logs of the part were begun. */
  log_number: number;
  /** Highest sequence number that is stored. */
  stored_seq: number;
}

export interface PartLogEntriesTable {
  part_id: string;
  /** Combines the number of the log with the sequence number in it, so that it increases with each entry. */
  position: number;
  /** By the clock of the part. */
  time: number;
  /** When the hub received it, in log time (`log-time.ts`). */
  received_at: number;
  /** 1 debug, 2 info, 3 warning, 4 error, as in core.log.v1. */
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
