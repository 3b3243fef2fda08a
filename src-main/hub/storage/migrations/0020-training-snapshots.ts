import { sql, type Kysely } from 'kysely';

/**
 * Training jobs use snapshots of datasets instead of their own copies. Adds the quality of their models, and when a job
 * was last active. Models are stored apart from jobs, which may be deleted before them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('training_jobs').addColumn('results', 'text').execute();
  await schema
    .alterTable('training_jobs')
    .addColumn('news_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`UPDATE training_jobs SET news_at = modified_at`.execute(db);
  await schema.createIndex('training_jobs_snapshot').on('training_jobs').column('snapshot_id').execute();
  await schema
    .createTable('trained_models')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('trained_models_pk', ['organization_id', 'name', 'version'])
    .execute();
  await schema.createIndex('trained_models_snapshot').on('trained_models').column('snapshot_id').execute();
  // Unfinished jobs cannot go on, because they used the old kind of copy. 9 is FAILED_PRECONDITION.
  await sql`
    UPDATE training_jobs SET status = 'failed', ended_at = modified_at, failure_code = 9,
      failure = 'The hub was updated before this job had ended: submit it again.'
    WHERE status IN ('pending', 'running', 'canceling')`.execute(db);
}
