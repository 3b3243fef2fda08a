import type { Kysely } from 'kysely';

/** All configurations that a part has had. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('part_versions')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('author_type', 'text', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('result', 'text', (column) => column.notNull())
    .addColumn('result_message', 'text', (column) => column.notNull())
    .addColumn('result_at', 'bigint')
    .addPrimaryKeyConstraint('part_versions_key', ['part_id', 'number'])
    .execute();
  await db.schema.createIndex('part_versions_time').on('part_versions').columns(['part_id', 'created_at']).execute();
}
