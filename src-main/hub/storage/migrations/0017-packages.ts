import type { Kysely } from 'kysely';

/** Packages of an organization other than modules: machine learning models, archives. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('packages')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('crc32c', 'text', (column) => column.notNull())
    .addColumn('files', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
    .addColumn('uploaded_by', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('packages_pk', ['organization_id', 'type', 'name', 'version'])
    .execute();
  await schema.createIndex('packages_sha256').on('packages').column('sha256').execute();
}
