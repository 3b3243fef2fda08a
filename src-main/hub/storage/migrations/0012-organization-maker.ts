import type { Kysely } from 'kysely';

/**
 * The organization whose keys created an organization, for the quota. Older organizations have none, because they were
 * not counted when they were created.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('organizations').addColumn('made_by', 'text').execute();
  await db.schema.createIndex('organizations_made_by').on('organizations').column('made_by').execute();
}
