import { sql, type Kysely } from 'kysely';

/** When the hub received each log entry: a machine's clock must not decide how long an entry is kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('part_log_entries')
    .addColumn('received_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`UPDATE part_log_entries SET received_at = time`.execute(db);
  await db.schema.dropIndex('part_log_entries_time').execute();
  await db.schema.createIndex('part_log_entries_received').on('part_log_entries').column('received_at').execute();
}
