import type { WriteTransaction } from '../storage/tables.ts';
import { noteAccessChange } from './keys/access-mark.ts';

/** Removes all authorizations for a resource that is being deleted, and the keys that have no other authorization. */
export async function forgetResource(resourceId: string, tx: WriteTransaction): Promise<void> {
  const concerned = await tx
    .selectFrom('authorizations')
    .select('key_id')
    .distinct()
    .where('resource_id', '=', resourceId)
    .execute();
  await tx.deleteFrom('authorizations').where('resource_id', '=', resourceId).execute();
  for (const { key_id } of concerned) {
    const left = tx.selectFrom('authorizations').select('id').where('key_id', '=', key_id);
    await tx
      .deleteFrom('api_keys')
      .where('id', '=', key_id)
      .where((is) => is.not(is.exists(left)))
      .execute();
  }
  await noteAccessChange(tx);
}
