import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { keyIdOf } from '../../../base/ed25519.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { FilesProgress } from '../../modules/module-files.ts';
import { download, type Downloaded, type RegistryLink } from '../registry/download.ts';
import { Semaphore } from './semaphore.ts';
import { firstRun, type GroupGuard } from './first-run.ts';
import { readMeta } from '../meta-file.ts';
import type { InstalledPackage, ModuleStore } from '../module-store.ts';
import { checkSignature } from '../registry/package-signature.ts';
import { nameOf, type PackageId } from '../package-id.ts';
import type { TrustedKeys } from '../registry/trusted-keys.ts';
import { unpack } from '../archive/unpack.ts';

export interface InstallerOptions {
  readonly store: ModuleStore;
  readonly keys: TrustedKeys;
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly clock: Clock;
  /** Ends first runs when this program is killed. */
  readonly guard?: GroupGuard;
  /** Left free on the disk. */
  readonly freeFloorBytes?: number;
}

export interface InstallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FilesProgress) => void;
}

export interface SetUpOptions extends InstallOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Receives the output of the first-run program. */
  readonly logger: Logger;
}

/** Most packages downloaded and unpacked at a time: a start with many modules must not use up the disk's bandwidth. */
const MAX_DOWNLOADS = 2;

/**
 * Installs packages of the registry on this computer. However often a package is requested, it is installed once at a
 * time.
 */
export class Installer {
  readonly #options: InstallerOptions;
  readonly #downloads = new Semaphore(MAX_DOWNLOADS);

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /**
   * Downloads, checks and unpacks a package that is not installed.
   * @throws {ArmatureError} `module.*`, `module.no_space`, `hub.*`
   */
  install(id: PackageId, options: InstallOptions): Promise<InstalledPackage> {
    const { store } = this.#options;
    return store.withLock(id.moduleId, options.signal, async () => {
      return (await store.find(id)) ?? this.#downloads.run(options.signal, () => this.#fetch(id, options));
    });
  }

  /**
   * Does the first run of a package, unless it is done.
   * @throws {ArmatureError} `module.first_run`
   */
  setUp(installed: InstalledPackage, options: SetUpOptions): Promise<InstalledPackage> {
    const { store, clock, guard } = this.#options;
    const { onProgress, environment, timeoutMs, logger, signal } = options;
    return store.withSetUpLock(installed, signal, async () => {
      // Another machine with this home may have done it.
      const current = (await store.find(installed)) ?? installed;
      if (current.isSetUp) return current;
      onProgress(progressOf(installed, 'first-run', 0, 0));
      const program = path.join(installed.root, installed.firstRun);
      await firstRun({ program, root: installed.root, environment, timeoutMs, clock, signal, logger, guard });
      return store.markSetUp(installed);
    });
  }

  async #fetch(id: PackageId, options: InstallOptions): Promise<InstalledPackage> {
    const { link, keys, store, clock, freeFloorBytes } = this.#options;
    if (link === undefined) {
      throw new ArmatureError('hub.unreachable', `${nameOf(id)} is not on this computer, and this machine has no hub`);
    }
    const { signal, onProgress } = options;
    onProgress(progressOf(id, 'downloading', 0, 0));
    const downloaded = await download(id, {
      type: '',
      link,
      clock,
      signal,
      partPath: store.partPath(id),
      accept: async (description) => {
        checkSignature(id, description);
        await keys.check(id.moduleId, description);
      },
      onBytes: (done, total) => onProgress(progressOf(id, 'downloading', done, total)),
      ...(freeFloorBytes === undefined ? {} : { freeFloorBytes }),
    });
    return this.#unpack(id, downloaded, options);
  }

  async #unpack(id: PackageId, { file, description }: Downloaded, options: InstallOptions): Promise<InstalledPackage> {
    const { store, keys, freeFloorBytes } = this.#options;
    const folder = store.newFolder(id);
    try {
      await unpack({
        archive: file,
        folder,
        signal: options.signal,
        onRead: (bytes) => options.onProgress(progressOf(id, 'unpacking', bytes, Number(description.bytes))),
        ...(freeFloorBytes === undefined ? {} : { freeFloorBytes }),
      });
      const meta = await readMeta(folder);
      if (meta.moduleId !== '' && meta.moduleId !== id.moduleId) {
        throw new ArmatureError('module.bad_package', `its meta.json is of ${meta.moduleId}, not of ${id.moduleId}`);
      }
      await keys.remember(id.moduleId, description);
      const installed = await store.put({
        ...id,
        sha256: Buffer.from(description.sha256).toString('hex'),
        keyId: keyIdOf(description.publicKey),
        signedBy: description.signedBy,
        entrypoint: meta.entrypoint,
        firstRun: meta.firstRun,
        isSetUp: meta.firstRun === '',
      });
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

/** Progress of installing a package. */
export function progressOf(
  { version }: PackageId,
  step: FilesProgress['step'],
  doneBytes: number,
  totalBytes: number,
): FilesProgress {
  return { version, step, doneBytes, totalBytes, reason: '' };
}
