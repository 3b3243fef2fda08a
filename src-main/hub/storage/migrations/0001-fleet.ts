import type { Kysely } from 'kysely';

/** Settings, organizations, locations, machines, parts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('organizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('public_namespace', 'text', (column) => column.unique())
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('cid', 'text')
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('locations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
    .addColumn('parent_id', 'text', (column) => column.references('locations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('locations_organization').on('locations').column('organization_id').execute();
  await db.schema.createIndex('locations_parent').on('locations').column('parent_id').execute();
  await db.schema
    .createTable('machines')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('location_id', 'text', (column) => column.notNull().references('locations.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('dns_label', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('machines_address', ['location_id', 'dns_label'])
    .execute();
  await db.schema
    .createTable('parts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('machine_id', 'text', (column) => column.notNull().references('machines.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('dns_label', 'text', (column) => column.notNull())
    .addColumn('is_main', 'integer', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('last_access_at', 'bigint')
    .addUniqueConstraint('parts_address', ['machine_id', 'dns_label'])
    .execute();
}
