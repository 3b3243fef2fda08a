import type { Queries } from '../storage/tables.ts';
import { moduleKeyName } from './keys/module-keys.ts';

/** Who did something, as it is stored with what they did. */
export interface Author {
  readonly type: 'api-key' | 'part-secret' | 'module-key' | 'local';
  /** Id of the key or part, or the name of the user of this computer; '' for an unnamed local user. */
  readonly id: string;
}

/** The name of an author for display. */
export async function authorName({ type, id }: Author, db: Queries): Promise<string> {
  if (type === 'module-key') return (await moduleKeyName(id, db)) ?? id;
  if (type === 'local') return id === '' ? 'local' : id;
  if (type !== 'api-key') return 'part';
  const key = await db.selectFrom('api_keys').select('name').where('id', '=', id).executeTakeFirst();
  return key?.name ?? id;
}
