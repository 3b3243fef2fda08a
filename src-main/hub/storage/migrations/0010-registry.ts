import type { Kysely } from 'kysely';

/** Modules with their versions and packages, and the keys that may sign them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('modules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('namespace', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('entrypoint', 'text', (column) => column.notNull())
    .addColumn('first_run', 'text', (column) => column.notNull())
    .addColumn('models', 'text', (column) => column.notNull())
    .addColumn('documentation', 'text', (column) => column.notNull())
    .addColumn('deprecated', 'text', (column) => column.notNull())
    .addColumn('deprecated_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('words', 'text', (column) => column.notNull())
    .addColumn('apis', 'text', (column) => column.notNull())
    .addUniqueConstraint('modules_name', ['namespace', 'name'])
    .execute();
  await schema.createIndex('modules_organization').on('modules').column('organization_id').execute();
  await schema
    .createTable('module_versions')
    .addColumn('module_id', 'text', (column) => column.notNull().references('modules.id').onDelete('cascade'))
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('published_at', 'bigint', (column) => column.notNull())
    .addColumn('published_by', 'text', (column) => column.notNull())
    .addColumn('models', 'text', (column) => column.notNull())
    .addColumn('readme', 'text', (column) => column.notNull())
    .addColumn('entrypoint', 'text', (column) => column.notNull())
    .addColumn('first_run', 'text', (column) => column.notNull())
    .addColumn('yanked', 'text', (column) => column.notNull())
    .addColumn('yanked_at', 'bigint')
    .addPrimaryKeyConstraint('module_versions_key', ['module_id', 'version'])
    .execute();
  await schema
    .createTable('module_files')
    .addColumn('module_id', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('platform', 'text', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('statement', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('signed_by', 'text', (column) => column.notNull())
    .addColumn('uploaded_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('module_files_key', ['module_id', 'version', 'platform'])
    .addForeignKeyConstraint(
      'module_files_version',
      ['module_id', 'version'],
      'module_versions',
      ['module_id', 'version'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await schema.createIndex('module_files_sha256').on('module_files').column('sha256').execute();
  await schema
    .createTable('publisher_keys')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('public_key', 'text', (column) => column.notNull())
    .addColumn('added_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .addPrimaryKeyConstraint('publisher_keys_key', ['organization_id', 'id'])
    .execute();
  await schema
    .createTable('key_endorsements')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('endorsed_key', 'text', (column) => column.notNull())
    .addColumn('by_key', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('key_endorsements_key', ['organization_id', 'endorsed_key', 'by_key'])
    .execute();
}
