import { sql, type Kysely } from 'kysely';

/** How long a version took to be ready, and the names that it changed, for searching. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('part_versions').addColumn('result_took_ms', 'integer').execute();
  await schema
    .alterTable('part_version_words')
    .addColumn('subjects', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`
    UPDATE part_version_words SET subjects = COALESCE((
      SELECT CASE WHEN v.subjects = '' THEN '' ELSE ${'\n'} || lower(v.subjects) || ${'\n'} END FROM part_versions v
      WHERE v.part_id = part_version_words.part_id AND v.number = part_version_words.number
    ), '')`.execute(db);
}
