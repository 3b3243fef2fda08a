import type { AcceptedKey } from '../../../../proto/gen/core/hub/v1/part.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { newId } from '../../places/ids.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries, WriteTransaction } from '../../storage/tables.ts';
import { noteAccessChange } from './access-mark.ts';
import type { Credentials } from './credentials.ts';
import type { Holder } from './holder.ts';

const DIGEST_BYTES = 32;
/** Our ids have 36 characters. */
const MAX_ID_LENGTH = 128;

export interface ModuleKeysOptions {
  readonly store: Store;
  readonly credentials: Credentials;
  /** Whether other hubs serve the store too, and have to learn of changes. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The keys with which the modules of parts authenticate here. Each part creates its own and sends its hash when it
 * connects: the hub never has the key itself, and only the part can change it.
 */
export class ModuleKeys {
  readonly #options: ModuleKeysOptions;

  constructor(options: ModuleKeysOptions) {
    this.#options = options;
  }

  /**
   * Replaces the module key of a part; in effect when this resolves. If the store fails, it logs a warning and keeps
   * the previous key.
   * @param key undefined if the part has none: then none is accepted
   * @throws {ArmatureError} `call.bad_argument`
   */
  async keep(partId: string, key: AcceptedKey | undefined): Promise<void> {
    const { store, credentials, isShared, logger } = this.#options;
    if (key !== undefined) checkKey(partId, key);
    const before = await keyOf(partId, store.db);
    if (key === undefined ? before === undefined : before?.key_id === key.id && before.sha256 === hexOf(key)) return;
    const ids = new Set([before?.key_id ?? [], key?.id ?? []].flat());
    const holders = [...ids].map((id): Holder => ({ kind: 'module-key', id }));
    const only = holders.length === 1 ? holders[0] : undefined;
    try {
      const isKept = await store.transaction(async (tx) => {
        // A hub that does not share its store needs no mark for its own changes.
        if (isShared) await noteAccessChange(tx, only);
        return this.#replace(partId, key, tx);
      });
      if (!isKept) logger.warn(takenMessage(partId, key?.id ?? ''));
    } catch (thrown) {
      // A part may connect even if the store cannot write now.
      logger.warn(
        `The module key of part ${partId} is not stored, so its modules cannot authenticate until the part connects again: ${toArmatureError(thrown).message}`,
      );
      return;
    }
    if (isShared) await credentials.refresh();
    else for (const holder of holders) await credentials.refresh(holder);
  }

  async #replace(partId: string, key: AcceptedKey | undefined, tx: WriteTransaction): Promise<boolean> {
    await tx.deleteFrom('part_module_keys').where('part_id', '=', partId).execute();
    if (key === undefined) return true;
    const sha256 = hexOf(key);
    // The same key under another part: this computer was that part before.
    await tx.deleteFrom('part_module_keys').where('key_id', '=', key.id).where('sha256', '=', sha256).execute();
    const row = { part_id: partId, key_id: key.id, sha256, version: newId(), created_at: this.#options.clock.now() };
    const { numInsertedOrUpdatedRows: count } = await tx
      .insertInto('part_module_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('key_id').doNothing())
      .executeTakeFirst();
    return count === 1n;
  }
}

function keyOf(partId: string, db: Queries): Promise<{ key_id: string; sha256: string } | undefined> {
  return db
    .selectFrom('part_module_keys')
    .select(['key_id', 'sha256'])
    .where('part_id', '=', partId)
    .executeTakeFirst();
}

/** Display name of the key: `modules of <machine>`; undefined if no key has this id. */
export async function moduleKeyName(keyId: string, db: Queries): Promise<string | undefined> {
  const row = await db
    .selectFrom('part_module_keys')
    .innerJoin('parts', 'parts.id', 'part_module_keys.part_id')
    .innerJoin('machines', 'machines.id', 'parts.machine_id')
    .select('machines.name')
    .where('part_module_keys.key_id', '=', keyId)
    .executeTakeFirst();
  return row && `modules of ${row.name}`;
}

function checkKey(partId: string, { id, digest }: AcceptedKey): void {
  if (id !== '' && id.length <= MAX_ID_LENGTH && digest.length === DIGEST_BYTES) return;
  throw new ArmatureError(
    'call.bad_argument',
    `The module key of part "${partId}" has an id of ${id.length} characters and a digest of ${digest.length} bytes; send an id of 1 to ${MAX_ID_LENGTH} characters and the ${DIGEST_BYTES} bytes of the SHA-256 of the key.`,
  );
}

function takenMessage(partId: string, keyId: string): string {
  return `Part ${partId} reports the module key ${keyId}, which belongs to another part, so its modules cannot authenticate. Delete the file of that key on the part's computer, and start its server again.`;
}

function hexOf({ digest }: AcceptedKey): string {
  return Buffer.from(digest).toString('hex');
}
