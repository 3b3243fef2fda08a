import { SqliteAdapter, type Kysely } from 'kysely';

/** Results of triggers, their deliveries, and the secrets that sign them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('trigger_records')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('trigger_name', 'text', (column) => column.notNull())
    .addColumn('evaluated', 'integer', (column) => column.notNull())
    .addColumn('fired', 'integer', (column) => column.notNull())
    .addColumn('evaluations', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('trigger_records_pk', ['part_id', 'trigger_name'])
    .execute();
  await schema
    .createTable('trigger_limits')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('trigger_name', 'text', (column) => column.notNull())
    .addColumn('target_key', 'text', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addColumn('queued', 'integer', (column) => column.notNull())
    .addColumn('dropped', 'integer', (column) => column.notNull())
    .addColumn('dropped_since', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('trigger_limits_pk', ['part_id', 'trigger_name', 'target_key'])
    .execute();
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await schema
    .createTable('deliveries')
    // In the order of creation.
    .addColumn('number', isSqlite ? 'integer' : 'bigserial', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('event_id', 'bigint')
    .addColumn('trigger_name', 'text', (column) => column.notNull())
    .addColumn('event_type', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('target', 'text', (column) => column.notNull())
    .addColumn('target_key', 'text', (column) => column.notNull())
    .addColumn('lane', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('is_late', 'integer', (column) => column.notNull())
    .addColumn('is_test', 'integer', (column) => column.notNull())
    .addColumn('happened_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('failure', 'text', (column) => column.notNull())
    .addColumn('response', 'text', (column) => column.notNull())
    // An event that is handled twice creates only one delivery. Tests have no event.
    .addUniqueConstraint('deliveries_once', ['event_id', 'part_id', 'trigger_name', 'target_key'])
    .execute();
  await schema.createIndex('deliveries_due').on('deliveries').columns(['state', 'lane', 'next_at']).execute();
  await schema.createIndex('deliveries_part').on('deliveries').columns(['part_id', 'number']).execute();
  await schema.createIndex('deliveries_finished').on('deliveries').column('finished_at').execute();
  await schema
    .createTable('webhook_secrets')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('target_key', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('made_at', 'bigint', (column) => column.notNull())
    .addColumn('previous', 'text', (column) => column.notNull())
    .addColumn('previous_until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_secrets_pk', ['part_id', 'target_key'])
    .execute();
}
