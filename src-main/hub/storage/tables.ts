import type { Kysely, Transaction } from 'kysely';

/**
 * All tables with their columns: each folder adds its own in its `tables.ts`. Times are milliseconds since 1970,
 * booleans are 0 or 1, documents are JSON text, because SQLite and PostgreSQL both have these types.
 */
export interface Tables {
  settings: SettingsTable;
}

export type Database = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;
/** What a query runs on: the last committed state of the store, or a running transaction. */
export type Queries = Database | WriteTransaction;

/** Single values of this hub, by name. */
export interface SettingsTable {
  name: string;
  value: string;
}
