import type { Kysely } from 'kysely';

/** Training jobs with scripts of the registry: the script and its arguments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['registry_item_id', 'registry_item_version', 'container_version']) {
    await db.schema
      .alterTable('training_jobs')
      .addColumn(name, 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  }
  await db.schema
    .alterTable('training_jobs')
    .addColumn('arguments', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute();
}
