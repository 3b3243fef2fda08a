import type { Kysely } from 'kysely';

/** The time in which an embedded hub was away together with its part: a trigger tells of it late. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['gap_began_at', 'gap_ended_at']) {
    // One column a statement: SQLite takes no more.
    await db.schema.alterTable('part_presence').addColumn(name, 'bigint').execute();
  }
}
