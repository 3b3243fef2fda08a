/** What the program and its database threads say to each other. Messages are cloned on their way. */

/** A value as SQLite stores it. */
export type SqliteValue = null | number | bigint | string | Uint8Array;

/** Given to a thread as it starts. */
export interface SqliteThreadOptions {
  readonly file: string;
  /** Refuses everything that would change the database. */
  readonly isReadOnly: boolean;
}

/** One statement to run. Statements of a thread run in the order they were sent. */
export interface SqliteRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
  /** It belongs to a transaction, which begins with it unless it has begun. */
  readonly begins: boolean;
}

/** Names the request it answers; `opened` comes once, unasked, when the database is open. */
export type SqliteReply =
  | { readonly kind: 'opened' }
  | {
      readonly kind: 'done';
      readonly id: number;
      readonly rows: readonly unknown[];
      /** Rows that an INSERT, UPDATE or DELETE changed. */
      readonly changes: number;
    }
  | {
      readonly kind: 'failed';
      /** Undefined where the database could not be opened. */
      readonly id: number | undefined;
      readonly message: string;
      /** Extended result code of SQLite; 0 where the failure is not SQLite's. */
      readonly resultCode: number;
    };
