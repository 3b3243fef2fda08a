import { SqliteAdapter, type Kysely } from 'kysely';

/** What happened, in the order in which it was stored, and how far each of those has come who read it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  await db.schema
    .createTable('events')
    // A number is never given twice, also where the newest events were let go of.
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
