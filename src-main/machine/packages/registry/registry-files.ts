import type { MachinePlatform } from '../../../../proto/config/module-versions.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { FilesFollower, FilesObserver, ModuleFiles, ModuleFilesSource } from '../../modules/module-files.ts';
import type { RegistryLink } from './download.ts';
import type { GroupGuard } from '../install/first-run.ts';
import { firstRunTimeoutMs } from '../install/first-run-timeout.ts';
import { Installer } from '../install/installer.ts';
import { VersionHistory } from '../version-history.ts';
import { ModuleStore } from '../module-store.ts';
import { nameOf } from '../package-id.ts';
import { RegistryFollower } from './registry-follower.ts';
import { RegistryModule } from './registry-module.ts';
import { GRACE_MS, sweep } from '../install/sweep.ts';
import { TrustedKeys } from './trusted-keys.ts';

export interface RegistryFilesOptions {
  /** `<home>/packages`; machines of one home share it. */
  readonly folder: string;
  /** Identifies this machine among others with the same home: the id of its part, or a name derived from its file. */
  readonly machine: string;
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly platform: MachinePlatform;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** Logger of one module, by its name in the configuration. */
  readonly moduleLogger: (name: string) => Logger;
  /** Ends first runs when this program is killed. */
  readonly guard?: GroupGuard;
  readonly freeFloorBytes?: number;
}

/** The first search for unused packages is after the start; then at this interval. */
const FIRST_SWEEP_MS = 60_000;
const SWEEP_MS = 6 * 60 * 60 * 1_000;

/** Files of the modules that come from a registry, for one machine. */
export class RegistryFiles implements ModuleFilesSource {
  readonly keys: TrustedKeys;
  readonly #options: RegistryFilesOptions;
  readonly #store: ModuleStore;
  readonly #installer: Installer;
  readonly #registry: RegistryFollower;
  readonly #history: VersionHistory;
  readonly #followed = new Map<RegistryModule, ModuleConfig>();
  /** The closing of modules that are no longer followed. */
  readonly #ending = new Set<Promise<void>>();
  #sweeping: Promise<void> = Promise.resolve();
  #nextSweep: Timer;

  constructor(options: RegistryFilesOptions) {
    const { folder, machine, clock, logger } = options;
    this.#options = options;
    this.keys = new TrustedKeys(folder, clock);
    this.#store = new ModuleStore(folder, clock);
    this.#installer = new Installer({ ...options, store: this.#store, keys: this.keys });
    this.#registry = new RegistryFollower(options);
    this.#history = new VersionHistory(folder, machine, clock, logger);
    this.#nextSweep = this.#sweepAfter(FIRST_SWEEP_MS);
  }

  follow(
    module: ModuleConfig,
    environment: (files: ModuleFiles) => Readonly<Record<string, string>>,
    observer: FilesObserver,
  ): FilesFollower {
    const { platform, clock, random, moduleLogger } = this.#options;
    const follower = new RegistryModule(module, observer, {
      store: this.#store,
      installer: this.#installer,
      registry: this.#registry,
      history: this.#history,
      platform: platform.platform,
      clock,
      random,
      logger: moduleLogger(module.name),
      firstRunTimeoutMs: firstRunTimeoutMs(module),
      environment,
    });
    this.#followed.set(follower, module);
    return {
      accepted: (files) => follower.accepted(files),
      rejected: (files, reason) => follower.rejected(files, reason),
      refresh: () => follower.refresh(),
      close: () => this.#end(follower),
    };
  }

  /** Ends running work. Settles when it has ended. */
  async close(): Promise<void> {
    this.#nextSweep.cancel();
    for (const follower of [...this.#followed.keys()]) this.#end(follower);
    this.#registry.close();
    await Promise.all([...this.#ending, this.#sweeping]);
    await this.#history.drained();
  }

  #end(follower: RegistryModule): void {
    this.#followed.delete(follower);
    follower.close();
    const ending = follower.idle.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #sweepAfter(ms: number): Timer {
    return this.#options.clock.after(ms, () => {
      this.#nextSweep = this.#sweepAfter(SWEEP_MS);
      this.#sweeping = this.#sweep().catch((thrown: unknown) => {
        this.#options.logger.warn(`Unused packages cannot be removed: ${toArmatureError(thrown).message}`);
      });
    });
  }

  async #sweep(): Promise<void> {
    const { clock, logger } = this.#options;
    const followers = [...this.#followed.keys()];
    for (const follower of followers) follower.touch();
    const names = new Set([...this.#followed.values()].map(({ name }) => name));
    this.#history.forgetUnused(clock.now() - GRACE_MS, (name) => names.has(name));
    await this.#history.drained();
    const inUse = followers.map(({ offered }) => offered).filter((one) => one !== undefined);
    for (const removed of await sweep(this.#store, clock, inUse)) {
      logger.info(`${nameOf(removed)} was removed from this computer: nothing uses it any more`);
    }
  }
}
