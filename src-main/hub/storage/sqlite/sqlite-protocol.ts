/** Messages between the program and its database threads. They are cloned in transit. */

/** A value as SQLite stores it. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** Passed to a thread when it starts. */
export interface SqliteThreadOptions {
  readonly file: string;
  /** Whether to refuse all changes of the database. */
  readonly isReadOnly: boolean;
}

/** A statement to run. A thread runs statements in the order they were sent. */
export interface SqliteRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
  /** Whether the statement belongs to a transaction, which begins with it unless it has already begun. */
  readonly begins: boolean;
  /** Whether it reads what is committed: not what an open transaction of this thread has written. */
  readonly isRead: boolean;
  /** When it was sent, ms since 1970. */
  readonly sentAt: number;
}

/** The reply to the request with this id; `opened` is sent once, when the database is open. */
export type SqliteReply =
  | { readonly kind: 'opened' }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly rows: readonly unknown[];
      /** Rows that an INSERT, UPDATE or DELETE changed. */
      readonly changes: number;
      /** How long it waited for the thread and ran, ms. */
      readonly tookMs: number;
    }
  | {
      readonly kind: 'failed';
      /** Undefined if the database could not be opened. */
      readonly id: number | undefined;
      readonly message: string;
      /** Extended result code of SQLite; 0 if the failure is not from SQLite. */
      readonly resultCode: number;
    };
