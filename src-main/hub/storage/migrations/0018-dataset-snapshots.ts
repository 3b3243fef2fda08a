import type { Kysely } from 'kysely';

/**
 * Snapshots of datasets. Rows do not reference binary data, which may be deleted: they contain copies of its
 * properties. Nothing references a snapshot, so that a large one can be deleted in small steps.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .alterTable('datasets')
    .addColumn('snapshots', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable('dataset_snapshots')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('dataset_id', 'text', (column) => column.notNull().references('datasets.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('counts', 'text', (column) => column.notNull())
    .addUniqueConstraint('dataset_snapshots_number', ['dataset_id', 'number'])
    .execute();
  await schema
    .createTable('dataset_snapshot_items')
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('binary_id', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('file_ext', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('location_id', 'text', (column) => column.notNull())
    .addColumn('machine_id', 'text', (column) => column.notNull())
    .addColumn('part_id', 'text', (column) => column.notNull())
    .addColumn('component_name', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('dataset_snapshot_items_key', ['snapshot_id', 'position'])
    .execute();
  await schema.createIndex('dataset_snapshot_items_sha256').on('dataset_snapshot_items').column('sha256').execute();
  await schema
    .createTable('dataset_snapshot_labels')
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('confidence', 'double precision')
    .addColumn('x_min', 'double precision')
    .addColumn('y_min', 'double precision')
    .addColumn('x_max', 'double precision')
    .addColumn('y_max', 'double precision')
    .execute();
  await schema
    .createIndex('dataset_snapshot_labels_place')
    .on('dataset_snapshot_labels')
    .columns(['snapshot_id', 'position'])
    .execute();
}
