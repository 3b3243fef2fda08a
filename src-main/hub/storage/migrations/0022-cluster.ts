import type { Kysely } from 'kysely';

/** The hubs of a store, the state that each one had only in memory, and pending restarts of parts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('cluster_hubs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createTable('cluster_leases')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('hub_id', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await schema.alterTable('part_presence').addColumn('hub_id', 'text').execute();
  await schema.alterTable('unsettled_blobs').addColumn('hub_id', 'text').execute();
  await schema
    .createTable('part_restarts')
    .addColumn('part_id', 'text', (column) => column.primaryKey().references('parts.id').onDelete('cascade'))
    .execute();
  await schema
    .createTable('signaling_waits')
    .addColumn('part_id', 'text', (column) => column.primaryKey().references('parts.id').onDelete('cascade'))
    .addColumn('hub_id', 'text', (column) => column.notNull())
    .execute();
}
