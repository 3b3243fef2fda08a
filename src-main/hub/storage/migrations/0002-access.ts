import type { Kysely } from 'kysely';

/** API keys, what they may do, part secrets, and the keys that sign access tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('generation', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('api_keys_organization').on('api_keys').column('organization_id').execute();
  await db.schema
    .createTable('authorizations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id').onDelete('cascade'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('resource_type', 'text', (column) => column.notNull())
    .addColumn('resource_id', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('authorizations_once', ['key_id', 'role', 'resource_type', 'resource_id'])
    .execute();
  await db.schema.createIndex('authorizations_resource').on('authorizations').column('resource_id').execute();
  await db.schema
    .createTable('part_secrets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('part_secrets_part').on('part_secrets').column('part_id').execute();
  await db.schema
    .createTable('token_keys')
    .addColumn('kid', 'text', (column) => column.primaryKey())
    .addColumn('private_jwk', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
}
