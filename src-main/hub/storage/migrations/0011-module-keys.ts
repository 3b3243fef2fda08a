import type { Kysely } from 'kysely';

/** The key of each part's modules, as the part last sent it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('part_module_keys')
    .addColumn('part_id', 'text', (column) => column.primaryKey().references('parts.id').onDelete('cascade'))
    .addColumn('key_id', 'text', (column) => column.notNull().unique())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}
