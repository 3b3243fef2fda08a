import type { MachinePlatform } from '../../../../proto/config/module-versions.ts';
import { ChangeBatches } from '../../../base/async/change-batches.ts';
import { Emitter } from '../../../base/async/emitter.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { PackageConfig } from '../../config/machine-config.ts';
import { GRACE_MS, sweep } from '../install/sweep.ts';
import { VersionHistory } from '../version-history.ts';
import { nameOf } from '../package-id.ts';
import type { RegistryLink } from '../registry/download.ts';
import { RegistryFollower } from '../registry/registry-follower.ts';
import { ModelInstaller } from './model-installer.ts';
import { ModelPackage } from './model-package.ts';
import type { PackageChanges, PackageStatus } from '../../modules/package-status.ts';
import { ModelStore } from './model-store.ts';
import { PackageLinks } from './package-links.ts';

export interface ModelFilesOptions {
  /** `<home>/packages`; machines of one home share it. */
  readonly folder: string;
  /** Identifies this machine among others with the same home. */
  readonly machine: string;
  /** Undefined for a machine without a hub. */
  readonly link: RegistryLink | undefined;
  readonly platform: MachinePlatform;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly freeFloorBytes?: number | undefined;
}

/** Why a package is not installed. */
export interface PackageAbsence {
  /** A sentence for people, without a full stop. */
  readonly reason: string;
  /** Whether it is being installed, and nothing has failed so far. */
  readonly isUnderWay: boolean;
}

/** The first search for unused packages is after the start; then at this interval. */
const FIRST_SWEEP_MS = 60_000;
const SWEEP_MS = 6 * 60 * 60 * 1_000;

/** The models of one machine: those of its configuration, and which of them are installed. */
export class ModelFiles {
  readonly #options: ModelFilesOptions;
  readonly #store: ModelStore;
  readonly #installer: ModelInstaller;
  readonly #registry: RegistryFollower;
  readonly #history: VersionHistory;
  readonly #links: PackageLinks;
  readonly #followed = new Map<string, ModelPackage>();
  /** Problems of wrong entries, by name. */
  #wrong: ReadonlyMap<string, string> = new Map();
  /** The closing of packages that are no longer followed. */
  readonly #ending = new Set<Promise<void>>();
  readonly #batches: ChangeBatches<PackageStatus>;
  readonly #changed = new Emitter<{ readonly name: string; readonly isReplaced: boolean }>();
  #sweeping: Promise<void> = Promise.resolve();
  #nextSweep: Timer;

  constructor(options: ModelFilesOptions) {
    const { folder, machine, clock, logger } = options;
    this.#options = options;
    this.#store = new ModelStore(folder, clock);
    this.#installer = new ModelInstaller({ ...options, store: this.#store });
    this.#registry = new RegistryFollower(options);
    this.#history = new VersionHistory(folder, `${machine}-models`, clock, logger);
    this.#links = new PackageLinks(folder, machine);
    this.#batches = new ChangeBatches((thrown) =>
      logger.error(`A listener failed: ${toArmatureError(thrown).message}`),
    );
    this.#nextSweep = this.#sweepAfter(FIRST_SWEEP_MS);
  }

  /** The value of a package's placeholder, whether it is installed or not. */
  pathOf(type: string, name: string): string {
    return this.#links.pathOf(type, name);
  }

  /** Follows these packages from now on, and no others. */
  configure(packages: readonly PackageConfig[]): void {
    const wrong = new Map<string, string>();
    const good = new Map<string, PackageConfig>();
    for (const config of packages) {
      const error = config.problems.find(({ severity }) => severity === 'error');
      if (error === undefined) good.set(config.name, config);
      else wrong.set(config.name, error.message);
    }
    const names = new Set([...this.#followed.keys(), ...this.#wrong.keys(), ...wrong.keys(), ...good.keys()]);
    this.#wrong = wrong;
    for (const name of names) {
      const before = this.#followed.get(name);
      const config = good.get(name);
      const isSame =
        before !== undefined && before.config.package === config?.package && before.config.version === config.version;
      if (isSame) continue;
      if (before !== undefined) this.#end(before);
      if (config !== undefined) this.#follow(config, before);
      else this.#batches.remove(name);
      this.#changed.emit({ name, isReplaced: false });
    }
  }

  statuses(): readonly PackageStatus[] {
    return [...this.#followed.values()].map(({ status }) => status);
  }

  /**
   * Retries a waiting package at once.
   * @throws {ArmatureError} `call.not_found` if no package with that name is followed
   */
  retry(name: string): void {
    const followed = this.#followed.get(name);
    if (followed === undefined) {
      const why = this.#wrong.get(name) ?? 'the configuration of this machine has no such entry under "packages"';
      throw new ArmatureError('call.not_found', `There is no package "${name.slice(0, 120)}" to try again: ${why}.`);
    }
    followed.retry();
    // If the connection to the hub was lost, this asks the hub now and does not wait for the next retry.
    this.#registry.retry();
  }

  /** Calls `listener` with each batch of changes of {@link statuses}. Returns an unsubscribe function. */
  subscribe(listener: (changes: PackageChanges) => void): () => void {
    return this.#batches.subscribe(listener);
  }

  /** Calls `listener` when {@link absenceOf} a package or its files have changed. Returns an unsubscribe function. */
  onChange(listener: (change: { readonly name: string; readonly isReplaced: boolean }) => void): () => void {
    return this.#changed.on(listener);
  }

  /** Why a package is not installed; undefined if it is. */
  absenceOf(name: string): PackageAbsence | undefined {
    const followed = this.#followed.get(name);
    if (followed === undefined) return { reason: this.#wrong.get(name) ?? 'it is not configured', isUnderWay: false };
    if (followed.ready !== undefined) return undefined;
    const { state, reason, update } = followed.status;
    if (state === 'failed') return { reason, isUnderWay: false };
    return { reason: update === undefined ? reason : `${update.version} is ${update.step}`, isUnderWay: true };
  }

  /** Ends running work. Settles when it has ended. */
  async close(): Promise<void> {
    this.#nextSweep.cancel();
    for (const followed of [...this.#followed.values()]) this.#end(followed);
    this.#registry.close();
    await Promise.all([...this.#ending, this.#sweeping]);
    await this.#history.drained();
  }

  #follow(config: PackageConfig, before: ModelPackage | undefined): void {
    const { name, type } = config;
    let reported = '';
    const followed: ModelPackage = new ModelPackage(config, before?.ready, {
      ...this.#options,
      store: this.#store,
      installer: this.#installer,
      registry: this.#registry,
      history: this.#history,
      onReady: async (installed) => {
        // If the entry was removed in the meantime, the link belongs to its successor.
        if (this.#followed.get(name) !== followed) return;
        await this.#links.set(type, name, installed.root);
      },
      onChange: () => {
        this.#batches.upsert(name, followed.status);
        const root = followed.ready?.root ?? '';
        const absence = this.absenceOf(name);
        const isReplaced = root !== '' && root !== shown;
        const now = JSON.stringify(absence ?? root);
        if (now === reported) return;
        reported = now;
        shown = root;
        this.#changed.emit({ name, isReplaced });
      },
    });
    let shown = before?.ready?.root ?? '';
    this.#followed.set(name, followed);
    this.#batches.upsert(name, followed.status);
  }

  #end(followed: ModelPackage): void {
    this.#followed.delete(followed.config.name);
    followed.close();
    const ending = followed.idle.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #sweepAfter(ms: number): Timer {
    return this.#options.clock.after(ms, () => {
      this.#nextSweep = this.#sweepAfter(SWEEP_MS);
      this.#sweeping = this.#sweep().catch((thrown: unknown) => {
        this.#options.logger.warn(`Unused models cannot be removed: ${toArmatureError(thrown).message}`);
      });
    });
  }

  async #sweep(): Promise<void> {
    const { clock, logger } = this.#options;
    const followed = [...this.#followed.values()];
    for (const one of followed) one.touch();
    this.#history.forgetUnused(clock.now() - GRACE_MS, (name) => this.#followed.has(name));
    await this.#history.drained();
    await this.#links.keepOnly('ml_model', new Set(this.#followed.keys()));
    const inUse = followed.map(({ ready }) => ready).filter((one) => one !== undefined);
    for (const removed of await sweep(this.#store, clock, inUse)) {
      logger.info(`${nameOf(removed)} was removed from this computer: nothing uses it any more`);
    }
  }
}
