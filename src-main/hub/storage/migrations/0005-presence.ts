import type { Kysely } from 'kysely';

/** The last status of parts, which is shown while they are offline. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('part_presence')
    .addColumn('part_id', 'text', (column) => column.primaryKey().references('parts.id').onDelete('cascade'))
    .addColumn('is_online', 'integer', (column) => column.notNull())
    .addColumn('online_since', 'bigint')
    .addColumn('last_seen_at', 'bigint', (column) => column.notNull())
    .addColumn('owns_config', 'integer', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('status_at', 'bigint')
    .execute();
}
