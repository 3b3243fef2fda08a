import type { Kysely } from 'kysely';

/**
 * Whose keys an organization was made with: how many one may make is limited. Those from before are nobody's: they were
 * not counted when they were made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('organizations').addColumn('made_by', 'text').execute();
  await db.schema.createIndex('organizations_made_by').on('organizations').column('made_by').execute();
}
