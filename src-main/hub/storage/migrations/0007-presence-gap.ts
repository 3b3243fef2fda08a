import type { Kysely } from 'kysely';

/** The last time in which an embedded hub and its part were not running; a trigger reports it afterwards. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['gap_began_at', 'gap_ended_at']) {
    // SQLite allows one column for each statement.
    await db.schema.alterTable('part_presence').addColumn(name, 'bigint').execute();
  }
}
