import { takesVersion } from '../../../../proto/config/model-meta.ts';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import { StepLoop } from '../../../base/async/step-loop.ts';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError, type ErrorCode } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { PackageConfig } from '../../config/machine-config.ts';
import { ThrottledProgress } from '../install/throttled-progress.ts';
import type { VersionHistory } from '../version-history.ts';
import { isSamePackage, nameOf, type PackageId } from '../package-id.ts';
import type { RegistryAnswer, RegistryFollower } from '../registry/registry-follower.ts';
import type { ModelInstaller } from './model-installer.ts';
import type { PackageStatus } from '../../modules/package-status.ts';
import type { InstalledModel, ModelStore } from './model-store.ts';

export interface ModelPackageOptions {
  readonly store: ModelStore;
  readonly installer: ModelInstaller;
  readonly registry: RegistryFollower;
  readonly history: VersionHistory;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  /** Another version is installed; all users of the package take it from now on. */
  readonly onReady: (installed: InstalledModel) => Promise<void>;
  /** {@link ModelPackage.status} has changed. */
  readonly onChange: () => void;
}

/** Longest delay after failures of the connection, and of a package. */
const CONNECTION_BACKOFF: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.5 };
const PACKAGE_BACKOFF: BackoffOptions = { firstMs: 5_000, maxMs: 600_000, factor: 3, jitter: 0.2 };
const PACKAGE_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'module.bad_package',
  'module.no_space',
  'call.bad_argument',
  'file.unwritable',
]);

/** Keeps the wanted version of one configured model installed on this computer, retrying until it succeeds. */
export class ModelPackage {
  readonly config: PackageConfig;
  readonly #options: ModelPackageOptions;
  readonly #progress: ThrottledProgress;
  readonly #loop: StepLoop;
  readonly #unsubscribe: () => void;
  #answer: RegistryAnswer | undefined;
  #ready: InstalledModel | undefined;
  #status: PackageStatus;
  #work: { readonly id: PackageId; readonly controller: AbortController } | undefined;
  #failures = 0;
  #isClaimed = false;

  /** @param ready the version last used under this name, which stays in use until another one is installed */
  constructor(config: PackageConfig, ready: InstalledModel | undefined, options: ModelPackageOptions) {
    this.config = config;
    this.#options = options;
    this.#ready = ready;
    this.#loop = new StepLoop(options.clock, () => this.#step());
    this.#progress = new ThrottledProgress(options.clock, (update) => this.#show({ update }));
    this.#status = {
      name: config.name,
      packageId: config.package,
      type: config.type,
      version: ready?.version ?? '',
      wantedVersion: config.version,
      state: ready === undefined ? 'pending' : 'ready',
      reason: ready === undefined ? 'looking for it' : '',
      since: options.clock.now(),
      update: undefined,
    };
    const request = { moduleId: config.package, version: config.version, type: config.type };
    this.#unsubscribe = options.registry.follow(request, (answer) => this.#take(answer));
    this.#loop.wake();
  }

  get status(): PackageStatus {
    return this.#status;
  }

  /** The installed version; undefined where there is none. */
  get ready(): InstalledModel | undefined {
    return this.#ready;
  }

  /** Settles when no work is in progress. */
  get idle(): Promise<void> {
    return this.#loop.idle;
  }

  /** It is still configured. */
  touch(): void {
    this.#options.history.change(this.config.name, this.config.package, {});
  }

  /** Retries now, with the delays of earlier failures reset. */
  retry(): void {
    if (this.#work !== undefined) return;
    this.#failures = 0;
    this.#progress.report(undefined);
    if (this.#ready === undefined) this.#show({ state: 'pending', reason: 'looking for it' });
    this.#loop.wake();
  }

  close(): void {
    this.#loop.close();
    this.#unsubscribe();
    this.#progress.close();
    this.#work?.controller.abort();
  }

  #take(answer: RegistryAnswer): void {
    const before = this.#answer;
    this.#answer = answer;
    // The newest request wins; the current download is no longer needed.
    if (answer.kind === 'version' && this.#work !== undefined && this.#work.id.version !== answer.version) {
      this.#work.controller.abort();
    }
    if (before?.kind !== answer.kind || answer.kind === 'version') this.#failures = 0;
    this.#loop.wake();
  }

  async #step(): Promise<void> {
    let id: PackageId | undefined;
    try {
      await this.#claim();
      const installed = await this.#installed();
      // This step takes all requests so far into account.
      this.#loop.caughtUp();
      const target = this.#target(installed);
      if (target === undefined) {
        if (this.#answer !== undefined) this.#useInstalled(this.#answer.reason);
        return;
      }
      id = target;
      await this.#reach(target, installed);
    } catch (thrown) {
      if (this.#loop.isClosed) return;
      if (this.#work?.controller.signal.aborted === true) this.#loop.wake();
      else this.#failed(thrown, id);
    } finally {
      this.#work = undefined;
    }
  }

  /** Its versions are not deleted from now on. The stored history must be read first. */
  async #claim(): Promise<void> {
    await this.#options.history.loaded;
    if (this.#isClaimed || this.#loop.isClosed) return;
    this.#isClaimed = true;
    this.touch();
  }

  /**
   * Installed versions that the configuration allows: the one used last first, then by time of installation, newest
   * first.
   */
  async #installed(): Promise<readonly InstalledModel[]> {
    const { store, history } = this.#options;
    const { accepted } = history.of(this.config.name, this.config.package);
    const isLast = (one: InstalledModel): number => (one.version === accepted?.version ? 1 : 0);
    return (await store.installed(this.config.package))
      .filter(({ version }) => takesVersion(this.config.version, version))
      .toSorted((one, other) => isLast(other) - isLast(one) || other.readyAt - one.readyAt);
  }

  /** The version to install; undefined where it is unknown, or the installed one stays. */
  #target(installed: readonly InstalledModel[]): PackageId | undefined {
    const answer = this.#answer;
    const [last] = installed;
    // If the exact version is installed, the hub is not asked.
    if (last !== undefined && last.version === this.config.version) return last;
    if (answer === undefined) return undefined;
    if (answer.kind !== 'version') return this.#ready === undefined ? last : undefined;
    const { version, platform } = answer;
    if (!takesVersion(this.config.version, version)) {
      this.#answer = { kind: 'none', reason: `the hub answers ${version}, which is not what was asked for` };
      return undefined;
    }
    return { moduleId: this.config.package, version, platform };
  }

  async #reach(id: PackageId, installed: readonly InstalledModel[]): Promise<void> {
    if (this.#ready === undefined || !isSamePackage(this.#ready, id)) {
      const found = installed.find((one) => isSamePackage(one, id)) ?? (await this.#install(id));
      if (this.#loop.isClosed) return;
      await this.#activate(found);
    }
    this.#failures = 0;
    this.#progress.report(undefined);
    const instead = this.#answer === undefined || this.#answer.kind === 'version' ? '' : this.#answer.reason;
    // An exact version is wanted whatever the hub answers.
    this.#show({ state: 'ready', reason: id.version === this.config.version ? '' : instead });
  }

  async #install(id: PackageId): Promise<InstalledModel> {
    const controller = new AbortController();
    this.#work = { id, controller };
    let doneBytes = 0;
    const found = await this.#options.installer.install(id, {
      signal: controller.signal,
      onProgress: (progress) => {
        // A connection that keeps breaking but makes progress does not increase the delay.
        if (progress.doneBytes > doneBytes && doneBytes > 0) this.#failures = 0;
        doneBytes = progress.doneBytes;
        if (!this.#loop.isClosed) this.#progress.report(progress);
      },
    });
    controller.signal.throwIfAborted();
    return found;
  }

  async #activate(installed: InstalledModel): Promise<void> {
    const { history, onReady, logger } = this.#options;
    const { accepted, previous } = history.of(this.config.name, this.config.package);
    const { version, platform } = installed;
    const isNew = accepted?.version !== version;
    await onReady(installed);
    this.#ready = installed;
    history.change(this.config.name, this.config.package, {
      accepted: { version, platform },
      previous: isNew ? accepted : previous,
    });
    logger.info(`package ${this.config.name}: ${nameOf(installed)} is in ${installed.root}`);
    this.#show({ version, state: 'ready', reason: '' });
  }

  #failed(thrown: unknown, id: PackageId | undefined): void {
    const { random, logger } = this.#options;
    const error = toArmatureError(thrown);
    const isOfPackage = PACKAGE_ERRORS.has(error.code);
    const delayMs = backoffDelayMs(isOfPackage ? PACKAGE_BACKOFF : CONNECTION_BACKOFF, ++this.#failures, random());
    this.#loop.wakeAfter(delayMs);
    const reason = id === undefined ? error.message : `${nameOf(id)} cannot be used: ${error.message}`;
    if (reason !== this.#status.reason) {
      logger[isOfPackage ? 'error' : 'warn'](`package ${this.config.name}: ${reason}. It is tried again by itself.`);
    }
    if (id !== undefined && isOfPackage) {
      const { version } = id;
      this.#progress.report({ version, step: 'rejected', doneBytes: 0, totalBytes: 0, reason: error.message });
    }
    this.#useInstalled(reason);
  }

  /** Keeps the installed version; reports why if there is none. */
  #useInstalled(reason: string): void {
    this.#show(this.#ready === undefined ? { state: 'failed', reason } : { reason });
  }

  #show(change: Partial<PackageStatus>): void {
    if (this.#loop.isClosed) return;
    const before = this.#status;
    const isOther = change.state !== undefined && change.state !== before.state;
    this.#status = { ...before, ...change, since: isOther ? this.#options.clock.now() : before.since };
    this.#options.onChange();
  }
}
