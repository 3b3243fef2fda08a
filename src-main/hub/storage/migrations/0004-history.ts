import { sql, type Kysely } from 'kysely';

/** The origin, changes and result of a version, and the words for searching it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const text = (name: string) =>
    schema.alterTable('part_versions').addColumn(name, 'text', (column) => column.notNull().defaultTo(''));
  const number = (name: string) =>
    schema.alterTable('part_versions').addColumn(name, 'integer', (column) => column.notNull().defaultTo(0));
  await number('base').execute();
  await number('restored_from').execute();
  await text('author_name').execute();
  await text('subjects').execute();
  await text('result_unready').execute();
  // A separate table with narrow rows, so that a search reads no configurations.
  await schema
    .createTable('part_version_words')
    .addColumn('part_id', 'text', (column) => column.notNull().references('parts.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('is_tagged', 'integer', (column) => column.notNull())
    .addColumn('is_guess', 'integer', (column) => column.notNull())
    .addColumn('words', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('part_version_words_key', ['part_id', 'number'])
    .execute();
  await sql`
    INSERT INTO part_version_words (part_id, number, created_at, is_tagged, is_guess, words)
    SELECT part_id, number, created_at, CASE WHEN tag = '' THEN 0 ELSE 1 END, 0,
      lower(author || ${'\n'} || summary || ${'\n'} || note || ${'\n'} || tag)
    FROM part_versions`.execute(db);
  // Results from machines refer to the revision.
  await schema.createIndex('part_versions_revision').on('part_versions').columns(['part_id', 'revision']).execute();
}
