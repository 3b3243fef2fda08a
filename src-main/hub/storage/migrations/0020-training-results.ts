import { sql, type Kysely } from 'kysely';

/** How good the models of training jobs are, and when a job was last heard of. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('training_jobs').addColumn('results', 'text').execute();
  await schema
    .alterTable('training_jobs')
    .addColumn('news_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`UPDATE training_jobs SET news_at = modified_at`.execute(db);
}
