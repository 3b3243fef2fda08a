import type { Queries } from './tables.ts';

/** Reads a setting of this hub; undefined if it is not set. */
export async function readSetting(db: Queries, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}
