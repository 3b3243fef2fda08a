import type { Kysely } from 'kysely';

/** Which blobs are on their way in or out, so that one that is left over is found without looking through all. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('unsettled_blobs')
    .addColumn('area', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('unsettled_blobs_pk', ['area', 'sha256'])
    .execute();
}
