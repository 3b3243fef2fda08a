import { SqliteAdapter, type Kysely } from 'kysely';

/** Training jobs with their progress and logs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await schema
    .createTable('training_jobs')
    .addColumn('number', isSqlite ? 'integer' : 'bigserial', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    // No foreign key: a job outlives its dataset.
    .addColumn('dataset_id', 'text', (column) => column.notNull())
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addColumn('snapshot_number', 'integer', (column) => column.notNull())
    .addColumn('model_name', 'text', (column) => column.notNull())
    .addColumn('model_version', 'text', (column) => column.notNull())
    .addColumn('model_type', 'integer', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('modified_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('failure', 'text', (column) => column.notNull())
    .addColumn('failure_code', 'integer', (column) => column.notNull())
    .addColumn('model_id', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('training_jobs_organization')
    .on('training_jobs')
    .columns(['organization_id', 'number'])
    .execute();
  await schema.createIndex('training_jobs_status').on('training_jobs').columns(['status', 'number']).execute();
  await schema
    .createTable('training_epochs')
    .addColumn('job_id', 'text', (column) => column.notNull().references('training_jobs.id').onDelete('cascade'))
    .addColumn('epoch', 'integer', (column) => column.notNull())
    .addColumn('of', 'integer', (column) => column.notNull())
    .addColumn('loss', 'double precision', (column) => column.notNull())
    .addColumn('metrics', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('training_epochs_pk', ['job_id', 'epoch'])
    .execute();
  await schema
    .createTable('training_logs')
    .addColumn('job_id', 'text', (column) => column.notNull().references('training_jobs.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('training_logs_pk', ['job_id', 'number'])
    .execute();
}
