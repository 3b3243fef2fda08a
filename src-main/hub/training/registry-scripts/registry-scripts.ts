import { choosePackageVersion } from '../../../../proto/config/model-meta.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Packages, StoredPackage } from '../../registry/models/packages.ts';
import { isPublicScript, TrainingScripts } from '../../registry/models/training-scripts.ts';
import type { Store } from '../../storage/store.ts';
import { unpackScript } from './unpack-script.ts';

/** Finds and unpacks scripts of the registry for jobs. */
export class RegistryScripts {
  readonly #packages: Packages;
  readonly #scripts: TrainingScripts;

  constructor(packages: Packages, { db }: Store) {
    this.#packages = packages;
    this.#scripts = new TrainingScripts(packages, db);
  }

  /**
   * Finds a version of a script that an organization may use: its own, or a public one.
   * @param itemId `<organization id or namespace>:<name>`
   * @param version `latest` or '' for the last uploaded one
   * @throws {ArmatureError} `call.not_found`, also if it may not be seen; `call.bad_argument` for a malformed id
   */
  async find(organizationId: string, itemId: string, version: string): Promise<StoredPackage> {
    if (!/^[^:]+:[^:]+$/.test(itemId)) {
      throw new ArmatureError(
        'call.bad_argument',
        `"registry_item_id" is "${itemId.slice(0, 120)}": write "organization id:name" or "namespace:name" of a training script.`,
      );
    }
    const script = await this.#scripts.get(itemId);
    const seen = script?.versions.filter((one) => one.organizationId === organizationId || isPublicScript(one)) ?? [];
    const chosen = choosePackageVersion(itemId, version === '' ? 'latest' : version, seen);
    const found = seen.find((one) => one.version === chosen.version);
    if (found === undefined) throw notFound('training script', version === '' ? itemId : `${itemId} ${version}`);
    return found;
  }

  /**
   * Unpacks a version into a folder, which is created.
   * @returns the folder with `model/training.py`
   * @throws {ArmatureError} `registry.bad_package`, `call.too_large`, `store.corrupt`
   */
  async unpack(script: StoredPackage, folder: string, maxBytes: number): Promise<string> {
    const blob = await this.#packages.open(script, 0);
    try {
      return await unpackScript(blob, script.bytes, folder, maxBytes);
    } finally {
      blob.close();
    }
  }
}
