import { rm } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { unpack } from '../archive/unpack.ts';
import { progressOf, type InstallOptions } from '../install/installer.ts';
import { Semaphore } from '../install/semaphore.ts';
import { nameOf, type PackageId } from '../package-id.ts';
import { download, type RegistryLink } from '../registry/download.ts';
import type { InstalledModel, ModelStore } from './model-store.ts';

export interface ModelInstallerOptions {
  readonly store: ModelStore;
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly clock: Clock;
  /** Left free on the disk. */
  readonly freeFloorBytes?: number | undefined;
}

/** Models that are downloaded and unpacked at a time. */
const MAX_DOWNLOADS = 2;

/** Installs models on this computer. No part of a model is executed, so the hash that the hub states is enough. */
export class ModelInstaller {
  readonly #options: ModelInstallerOptions;
  readonly #downloads = new Semaphore(MAX_DOWNLOADS);

  constructor(options: ModelInstallerOptions) {
    this.#options = options;
  }

  /**
   * Downloads, checks and unpacks a model that is not installed.
   * @throws {ArmatureError} `module.bad_package`, `module.no_space`, `hub.*`, the hub's error
   */
  install(id: PackageId, options: InstallOptions): Promise<InstalledModel> {
    const { store } = this.#options;
    return store.withLock(id.moduleId, options.signal, async () => {
      return (await store.find(id)) ?? this.#downloads.run(options.signal, () => this.#fetch(id, options));
    });
  }

  async #fetch(id: PackageId, { signal, onProgress }: InstallOptions): Promise<InstalledModel> {
    const { link, store, clock, freeFloorBytes } = this.#options;
    if (link === undefined) {
      throw new ArmatureError('hub.unreachable', `${nameOf(id)} is not on this computer, and this machine has no hub`);
    }
    const limit = freeFloorBytes === undefined ? {} : { freeFloorBytes };
    onProgress(progressOf(id, 'downloading', 0, 0));
    const { file, description } = await download(id, {
      type: 'ml_model',
      link,
      clock,
      signal,
      partPath: store.partPath(id),
      accept: () => Promise.resolve(),
      onBytes: (done, total) => onProgress(progressOf(id, 'downloading', done, total)),
      ...limit,
    });
    const folder = store.newFolder(id);
    const total = Number(description.bytes);
    const onRead = (bytes: number): void => onProgress(progressOf(id, 'unpacking', bytes, total));
    try {
      await unpack({ archive: file, folder, signal, onRead, ...limit });
      const sha256 = Buffer.from(description.sha256).toString('hex');
      const installed = await store.put({ ...id, sha256, readyAt: clock.now() });
      await rm(file, { force: true });
      return installed;
    } catch (thrown) {
      await rm(folder, { recursive: true, force: true });
      // The package may have been damaged in transit; a full disk is not the package's fault.
      if (toArmatureError(thrown).code === 'module.bad_package') await rm(file, { force: true });
      throw thrown;
    }
  }
}
