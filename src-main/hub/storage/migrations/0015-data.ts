import { sql, SqliteAdapter, type Kysely } from 'kysely';

/** Captured data: readings, binary data with tags and labels, and datasets. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  // No foreign keys to organizations, machines or parts: data outlives them, and the data of a deleted organization is
  // removed in small steps.
  await schema
    .createTable('captures')
    .addColumn('id', isSqlite ? 'integer' : 'bigserial', (column) => column.primaryKey())
    .addColumn('digest', 'text', (column) => column.notNull().unique())
    .addColumn('is_binary', 'integer', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('location_id', 'text', (column) => column.notNull())
    .addColumn('machine_id', 'text', (column) => column.notNull())
    .addColumn('machine_name', 'text', (column) => column.notNull())
    .addColumn('part_id', 'text', (column) => column.notNull())
    .addColumn('part_name', 'text', (column) => column.notNull())
    .addColumn('component_type', 'text', (column) => column.notNull())
    .addColumn('component_name', 'text', (column) => column.notNull())
    .addColumn('method_name', 'text', (column) => column.notNull())
    .addColumn('parameters', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('first_at', 'bigint')
    .addColumn('last_at', 'bigint')
    .execute();
  await schema
    .createIndex('captures_source')
    .on('captures')
    .columns(['part_id', 'component_name', 'method_name'])
    .execute();
  await schema.createIndex('captures_machine').on('captures').column('machine_id').execute();
  await schema.createIndex('captures_place').on('captures').columns(['organization_id', 'location_id']).execute();
  await schema
    .createTable('capture_tags')
    .addColumn('capture_id', 'bigint', (column) => column.notNull().references('captures.id').onDelete('cascade'))
    .addColumn('tag', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('capture_tags_key', ['capture_id', 'tag'])
    .execute();

  await schema
    .createTable('uploads')
    // Never reused: the ids of readings are derived from it.
    .addColumn('number', isSqlite ? 'integer' : 'bigserial', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('sender_key', 'text')
    .addColumn('capture_id', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('min_received', 'bigint', (column) => column.notNull())
    .addColumn('max_received', 'bigint', (column) => column.notNull())
    .addColumn('synced_at', 'bigint', (column) => column.notNull())
    .addColumn('ages_from', 'bigint', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('uploads_sender_key')
    .on('uploads')
    .column('sender_key')
    .unique()
    .where(sql.ref('sender_key'), 'is not', null)
    .execute();
  // To delete old uploads.
  await schema.createIndex('uploads_age').on('uploads').columns(['capture_id', 'ages_from']).execute();

  await schema
    .createTable('readings')
    .addColumn('id', isSqlite ? 'integer' : 'bigint', (column) => column.primaryKey())
    .addColumn('capture_id', 'bigint', (column) => column.notNull())
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('readings_time')
    .on('readings')
    // SQLite adds the id to every index.
    .columns(isSqlite ? ['capture_id', 'received_at'] : ['capture_id', 'received_at', 'id'])
    .execute();

  await schema
    .createTable('binary_data')
    .addColumn('number', isSqlite ? 'integer' : 'bigint', (column) => column.primaryKey())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('capture_id', 'bigint', (column) => column.notNull())
    .addColumn('requested_at', 'bigint', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('file_ext', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('binary_data_time')
    .on('binary_data')
    .columns(isSqlite ? ['capture_id', 'received_at'] : ['capture_id', 'received_at', 'number'])
    .execute();
  await schema.createIndex('binary_data_sha256').on('binary_data').column('sha256').execute();
  await schema
    .createTable('binary_tags')
    .addColumn('binary_number', 'bigint', (column) =>
      column.notNull().references('binary_data.number').onDelete('cascade'),
    )
    .addColumn('tag', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('binary_tags_key', ['binary_number', 'tag'])
    .execute();
  await schema
    .createTable('binary_labels')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('binary_number', 'bigint', (column) =>
      column.notNull().references('binary_data.number').onDelete('cascade'),
    )
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('confidence', 'double precision')
    .addColumn('x_min', 'double precision')
    .addColumn('y_min', 'double precision')
    .addColumn('x_max', 'double precision')
    .addColumn('y_max', 'double precision')
    .execute();
  await schema.createIndex('binary_labels_binary').on('binary_labels').columns(['binary_number', 'label']).execute();

  await schema
    .createTable('datasets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('datasets_name', ['organization_id', 'name'])
    .execute();
  await schema
    .createTable('dataset_members')
    .addColumn('dataset_id', 'text', (column) => column.notNull().references('datasets.id').onDelete('cascade'))
    .addColumn('binary_number', 'bigint', (column) =>
      column.notNull().references('binary_data.number').onDelete('cascade'),
    )
    .addPrimaryKeyConstraint('dataset_members_key', ['dataset_id', 'binary_number'])
    .execute();
  await schema.createIndex('dataset_members_binary').on('dataset_members').column('binary_number').execute();
  await schema
    .createTable('data_retention')
    .addColumn('organization_id', 'text', (column) =>
      column.primaryKey().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('readings_days', 'integer', (column) => column.notNull())
    .addColumn('binary_days', 'integer', (column) => column.notNull())
    .execute();
}
