import type { Kysely } from 'kysely';

/** Dashboards of parts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dashboards')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    .addColumn('tiles', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('dashboards_pk', ['part_id', 'id'])
    .execute();
}
