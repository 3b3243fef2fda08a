import type { Kysely } from 'kysely';

/** Logs of parts, and the last stored entry of each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('part_logs')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('log_id', 'text', (column) => column.notNull())
    .addColumn('log_number', 'integer', (column) => column.notNull())
    .addColumn('stored_seq', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('part_logs_key', ['part_id', 'log_id'])
    .execute();
  await schema
    .createTable('part_log_entries')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('level', 'integer', (column) => column.notNull())
    .addColumn('logger', 'text', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('fields', 'text', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('caller', 'text', (column) => column.notNull())
    .addColumn('repeat_count', 'integer', (column) => column.notNull())
    .addColumn('first_time', 'bigint')
    .addPrimaryKeyConstraint('part_log_entries_key', ['part_id', 'position'])
    .execute();
  // To find warnings and errors, which are rare.
  await schema
    .createIndex('part_log_entries_level')
    .on('part_log_entries')
    .columns(['part_id', 'level', 'position'])
    .execute();
  // To delete old entries.
  await schema.createIndex('part_log_entries_time').on('part_log_entries').column('time').execute();
}
