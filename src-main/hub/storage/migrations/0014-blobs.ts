import type { Kysely } from 'kysely';

/** Blobs that are being stored or removed, so that leftovers are found without scanning all blobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('unsettled_blobs')
    .addColumn('area', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('unsettled_blobs_pk', ['area', 'sha256'])
    .execute();
}
