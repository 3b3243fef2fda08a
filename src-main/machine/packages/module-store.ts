import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { withFolderLock } from './install/with-folder-lock.ts';
import { folderNameOf, splitModuleId, type PackageId } from './package-id.ts';
import { hasTexts, PackageStore, type Installed, type PackageKind, type PackageMetadata } from './package-store.ts';

/** Metadata of a module's installed package. */
export interface ModulePackageMetadata extends PackageMetadata {
  /** Id and name of the key that signed it; '' as name where that was the hub's. */
  readonly keyId: string;
  readonly signedBy: string;
  /** Relative to its folder; `firstRun` is '' where it has none. */
  readonly entrypoint: string;
  readonly firstRun: string;
  /** Whether its first run is done, or it has none. */
  readonly isSetUp: boolean;
}

/** An installed package of a module. */
export type InstalledPackage = Installed<ModulePackageMetadata>;

const TEXTS = ['moduleId', 'version', 'platform', 'sha256', 'keyId', 'signedBy', 'entrypoint', 'firstRun'];

const modules: PackageKind<ModulePackageMetadata> = {
  area: 'modules',
  split: splitModuleId,
  join: (namespace, name) => `${namespace}:${name}`,
  folderName: folderNameOf,
  isMetadata: (value): value is ModulePackageMetadata =>
    hasTexts(value, TEXTS) && typeof value['isSetUp'] === 'boolean',
  isThere: async (root, { entrypoint }) => {
    const program = await stat(path.join(root, entrypoint)).catch(() => undefined);
    return program?.isFile() === true;
  },
  folderMode: 0o700,
};

/** The packages of modules on this computer: `modules/<namespace>/<name>/<version>_<platform>`. */
export class ModuleStore extends PackageStore<ModulePackageMetadata> {
  readonly #clock: Clock;

  constructor(folder: string, clock: Clock) {
    super(folder, clock, modules);
    this.#clock = clock;
  }

  /**
   * Like {@link withLock}, for the first run of one package, which may take an hour: other packages do not wait for it.
   */
  withSetUpLock<T>(id: PackageId, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return withFolderLock(this.setUpFolder(id), this.#clock, signal, work);
  }

  /** Its first run is done. Call it while holding the lock. */
  markSetUp(installed: InstalledPackage): Promise<InstalledPackage> {
    return this.change(installed, { isSetUp: true });
  }
}
