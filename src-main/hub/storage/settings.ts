import type { Queries } from './tables.ts';

/** A single value of this hub; undefined before it was set. */
export async function readSetting(db: Queries, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}
