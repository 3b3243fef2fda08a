import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { ModuleConfig } from '../config/machine-config.ts';
import type { LogRegistry } from '../logging/log-registry.ts';
import { LocalFiles } from '../modules/local-files.ts';
import type { FilesFollower, FilesObserver, ModuleFiles, ModuleFilesSource } from '../modules/module-files.ts';
import { ProcessGuard } from '../modules/process/process-guard.ts';
import { thisPlatform } from '../../base/platform.ts';
import { ArchiveFiles } from './archive/archive-files.ts';
import type { RegistryLink } from './registry/download.ts';
import { ModuleSources } from './module-sources.ts';
import { ModelFiles } from './models/model-files.ts';
import { RegistryFiles } from './registry/registry-files.ts';
import type { TrustedKeys } from './registry/trusted-keys.ts';

export interface MachineFilesOptions {
  /** Folder of everything the server keeps; machines of one computer may share it. */
  readonly home: string;
  /** Identifies this machine among others with the same home. */
  readonly machine: string;
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly clock: Clock;
  readonly logs: Pick<LogRegistry, 'logger' | 'module'>;
}

/** Folder of the packages, below the folder of everything the server keeps. */
export function packagesFolder(home: string): string {
  return path.join(home, 'packages');
}

/** The files of all modules of one machine, wherever they come from. */
export class MachineFiles implements ModuleFilesSource {
  readonly #registry: RegistryFiles;
  readonly #archives: ArchiveFiles;
  readonly #sources: ModuleSources;
  readonly #guard: ProcessGuard;
  /** What the configuration names under `packages`. */
  readonly models: ModelFiles;

  constructor({ home, machine, link, clock, logs }: MachineFilesOptions) {
    const logger = logs.logger('core.packages');
    // First runs are not processes of a module yet, but must also end with this program.
    this.#guard = new ProcessGuard(clock, logger, () => ({ folder: '', cgroup: '' }));
    const shared = {
      folder: packagesFolder(home),
      machine,
      clock,
      random: Math.random,
      logger,
      moduleLogger: (name: string) => logs.module(name),
      userHome: os.homedir(),
      guard: this.#guard,
    };
    this.#registry = new RegistryFiles({ ...shared, link, platform: thisPlatform() });
    this.models = new ModelFiles({ ...shared, link, platform: thisPlatform() });
    this.#archives = new ArchiveFiles(shared);
    this.#sources = new ModuleSources({
      ...shared,
      registry: this.#registry,
      archives: this.#archives,
      programs: new LocalFiles(clock, shared.userHome),
    });
  }

  /** Which keys may sign for which namespaces on this computer. */
  get keys(): TrustedKeys {
    return this.#registry.keys;
  }

  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower {
    return this.#sources.follow(module, environment, observer);
  }

  /** Ends running work. Settles when it has ended. */
  async close(): Promise<void> {
    await Promise.all([this.#registry.close(), this.#archives.close(), this.models.close()]);
    this.#guard.close();
  }
}
