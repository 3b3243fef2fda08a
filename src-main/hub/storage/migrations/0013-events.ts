import { SqliteAdapter, type Kysely } from 'kysely';

/** Events in the order of their commits, and the position of each consumer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable('events')
    // Ids are never reused, even if the newest events were deleted.
    .addColumn('id', isSqlite ? 'integer' : 'bigserial', (column) =>
      isSqlite ? column.primaryKey().autoIncrement() : column.primaryKey(),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('organization_id', 'text')
    .addColumn('part_id', 'text')
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('event_consumers')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .execute();
}
