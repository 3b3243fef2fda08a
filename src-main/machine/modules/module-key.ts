import { randomBytes, randomUUID } from 'node:crypto';
import { toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { JsonRecord, type PersistentRecord } from '../../base/files/json-record.ts';

/** The key with which modules authenticate to their machine and its hub: `SVC_API_KEY_ID` and `SVC_API_KEY`. */
export interface ModuleKey {
  readonly id: string;
  /** 256 random bits. */
  readonly key: string;
}

/** The file of a machine's key, readable only by its owner. */
export function moduleKeyRecord(file: string): PersistentRecord<ModuleKey> {
  return new JsonRecord<ModuleKey>({
    path: file,
    isValid: (value): value is ModuleKey => {
      const { id, key } = (value ?? {}) as Partial<ModuleKey>;
      return typeof id === 'string' && id !== '' && typeof key === 'string' && key.length >= 43;
    },
    what: 'The key of the modules of this machine',
    nextStep: 'Make the folder writable; until then modules get another key at each start.',
  });
}

/** The existing key, or a new one. Never rejects: if a new key cannot be saved, it is valid for this run only. */
export async function loadModuleKey(record: PersistentRecord<ModuleKey>, logger: Logger): Promise<ModuleKey> {
  const kept = await record.load();
  if (kept !== undefined) return kept;
  const minted = { id: randomUUID(), key: randomBytes(32).toString('base64url') };
  // Valid at once, without waiting for the disk.
  void record.save(minted).catch((thrown: unknown) => logger.warn(toArmatureError(thrown).message));
  return minted;
}
