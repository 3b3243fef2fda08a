import type { Kysely, Transaction } from 'kysely';

/**
 * Every table, with its columns as they are stored: each room adds its own, in its `tables.ts`. Times are milliseconds
 * since 1970, facts are 0 or 1, documents are JSON text: what SQLite and PostgreSQL both have.
 */
export interface Tables {
  settings: SettingsTable;
}

export type Database = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;
/** What a query runs on: the store as it was last committed, or a transaction under way. */
export type Queries = Database | WriteTransaction;

/** Single values of this hub; the names are in `settings.ts`. */
export interface SettingsTable {
  name: string;
  value: string;
}
