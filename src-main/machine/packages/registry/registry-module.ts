import path from 'node:path';
import { parseVersionChoice, VERSION_FORMS, type VersionChoice } from '../../../../proto/config/module-versions.ts';
import { backoffDelayMs, type BackoffOptions } from '../../../base/async/backoff.ts';
import { StepLoop } from '../../../base/async/step-loop.ts';
import type { Clock } from '../../../base/clock.ts';
import { toArmatureError, type ErrorCode } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { FilesFollower, FilesObserver, ModuleFiles } from '../../modules/module-files.ts';
import type { Installer } from '../install/installer.ts';
import { isSameVersion, InstalledVersions, type InstalledVersionsOptions } from './installed-versions.ts';
import type { InstalledPackage } from '../module-store.ts';
import { isSamePackage, nameOf, type PackageId } from '../package-id.ts';
import { ThrottledProgress } from '../install/throttled-progress.ts';
import type { RegistryAnswer, RegistryFollower } from './registry-follower.ts';

export interface RegistryModuleOptions extends InstalledVersionsOptions {
  readonly installer: Installer;
  readonly registry: RegistryFollower;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly logger: Logger;
  readonly firstRunTimeoutMs: number;
  readonly environment: (files: ModuleFiles) => Readonly<Record<string, string>>;
}

/** Longest delay after failures of the connection or the disk. */
const CONNECTION_BACKOFF: BackoffOptions = { firstMs: 500, maxMs: 60_000, factor: 2, jitter: 0.5 };
/** Longest delay after failures of the package itself, which may have been damaged in transit. */
const PACKAGE_BACKOFF: BackoffOptions = { firstMs: 5_000, maxMs: 600_000, factor: 3, jitter: 0.3 };
const PACKAGE_ERRORS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'module.bad_package',
  'module.untrusted_key',
  'module.first_run',
]);

/**
 * The files of one module of the registry: the version of the registry's answer is installed and offered; until then,
 * and if that fails, the installed version stays.
 */
export class RegistryModule implements FilesFollower {
  readonly #options: RegistryModuleOptions;
  readonly #module: ModuleConfig;
  readonly #observer: FilesObserver;
  readonly #choice: VersionChoice | undefined;
  readonly #installed: InstalledVersions;
  readonly #progress: ThrottledProgress;
  readonly #loop: StepLoop;
  readonly #files = new Map<string, { readonly installed: InstalledPackage; readonly files: ModuleFiles }>();
  #unsubscribe: () => void = () => undefined;
  #answer: RegistryAnswer | undefined;
  #offered: InstalledPackage | undefined;
  #work: { readonly id: PackageId; readonly controller: AbortController } | undefined;
  #failures = 0;
  #trouble = '';
  #missing = '';

  constructor(module: ModuleConfig, observer: FilesObserver, parts: RegistryModuleOptions) {
    this.#options = parts;
    this.#module = module;
    this.#observer = observer;
    this.#choice = parseVersionChoice(module.version);
    this.#installed = new InstalledVersions(module, this.#choice, parts);
    this.#loop = new StepLoop(parts.clock, () => this.#step());
    this.#progress = new ThrottledProgress(parts.clock, (progress) => observer.onProgress(progress));
    void parts.history.loaded.then(() => this.#begin());
  }

  accepted(files: ModuleFiles): void {
    const installed = this.#installedOf(files);
    if (installed !== undefined) this.#installed.accept(installed);
  }

  rejected(files: ModuleFiles, reason: string): ModuleFiles | undefined {
    const installed = this.#installedOf(files);
    if (installed === undefined || !this.#installed.reject(installed, reason)) return undefined;
    const back = this.#installed.runnable;
    if (back === undefined) return undefined;
    this.#offered = back;
    return this.#filesOf(back);
  }

  async refresh(): Promise<void> {
    if (this.#loop.isClosed) return;
    this.#failures = 0;
    this.#trouble = '';
    if (this.#installed.history.rejected !== null) this.#installed.update({ rejected: null });
    this.#options.registry.retry();
    this.#loop.wake();
    await this.idle;
  }

  /** The last offered version, which may be running. */
  get offered(): InstalledPackage | undefined {
    return this.#offered;
  }

  /** Records that it is still configured. */
  touch(): void {
    this.#installed.update({});
  }

  /** Settles when no work is in progress. */
  get idle(): Promise<void> {
    return this.#loop.idle;
  }

  close(): void {
    this.#loop.close();
    this.#unsubscribe();
    this.#progress.close();
    this.#work?.controller.abort();
  }

  #begin(): void {
    if (this.#loop.isClosed) return;
    const { moduleId, version } = this.#module;
    if (this.#choice === undefined) {
      this.#observer.onMissing(`"version" of ${moduleId} is "${version}": write ${VERSION_FORMS}`);
      return;
    }
    // Its versions are not deleted from now on.
    this.#installed.update({});
    this.#unsubscribe = this.#options.registry.follow({ moduleId, version }, (answer) => this.#take(answer));
    this.#loop.wake();
  }

  #take(answer: RegistryAnswer): void {
    const before = this.#answer;
    this.#answer = answer;
    const { rejected } = this.#installed.history;
    if (answer.kind === 'version' && rejected !== null && !isSameVersion(rejected, answer)) {
      this.#installed.update({ rejected: null });
    }
    // The newest request wins; the current download is no longer needed.
    if (this.#work !== undefined && answer.kind === 'version' && !isSameVersion(this.#work.id, answer)) {
      this.#work.controller.abort();
    }
    if (before?.kind !== answer.kind || answer.kind === 'version') this.#failures = 0;
    this.#loop.wake();
  }

  async #step(): Promise<void> {
    let id: PackageId | undefined;
    try {
      await this.#installed.refresh();
      // This step takes all requests so far into account.
      this.#loop.caughtUp();
      id = this.#target();
      if (id === undefined) {
        if (this.#answer !== undefined) this.#runInstalled(this.#answer.reason);
        return;
      }
      await this.#reach(id);
    } catch (thrown) {
      if (this.#loop.isClosed) return;
      if (this.#work?.controller.signal.aborted === true) this.#loop.wake();
      else this.#failed(thrown, id);
    } finally {
      this.#work = undefined;
    }
  }

  /** The version to run; undefined where it is unknown, or the running one stays. */
  #target(): PackageId | undefined {
    const answer = this.#answer;
    const [newest] = this.#installed.all;
    // If the exact version is installed, the registry is not asked.
    if (this.#choice?.kind === 'exact' && newest !== undefined) return newest;
    if (answer === undefined) return undefined;
    if (answer.kind !== 'version') return this.#offered === undefined ? this.#installed.newest : undefined;
    const { version, platform } = answer;
    if (!this.#installed.isAllowed(answer)) {
      this.#answer = {
        kind: 'none',
        reason: `the hub answers ${version} for ${platform}, which is not what was asked for`,
      };
      return undefined;
    }
    return { moduleId: this.#module.moduleId, version, platform };
  }

  async #reach(id: PackageId): Promise<void> {
    const refusal = this.#installed.refusalOf(id);
    if (refusal !== undefined) {
      this.#reject(id, refusal);
      this.#runInstalled(refusal);
      return;
    }
    if (this.#offered === undefined || !isSamePackage(this.#offered, id)) {
      const installed = await this.#makeWhole(id);
      if (this.#loop.isClosed) return;
      this.#offer(installed, this.#answer?.kind === 'version' ? '' : (this.#answer?.reason ?? ''));
    }
    this.#failures = 0;
    this.#trouble = '';
    this.#progress.report(undefined);
  }

  async #makeWhole(id: PackageId): Promise<InstalledPackage> {
    const { installer, environment, firstRunTimeoutMs, logger } = this.#options;
    const controller = new AbortController();
    this.#work = { id, controller };
    let doneBytes = 0;
    const options = {
      signal: controller.signal,
      onProgress: (progress: Parameters<ThrottledProgress['report']>[0]) => {
        // A connection that keeps breaking but makes progress does not increase the delay.
        if ((progress?.doneBytes ?? 0) > doneBytes && doneBytes > 0) this.#failures = 0;
        doneBytes = progress?.doneBytes ?? 0;
        this.#progress.report(progress);
      },
    };
    const installed =
      this.#installed.all.find((one) => isSamePackage(one, id)) ?? (await installer.install(id, options));
    controller.signal.throwIfAborted();
    if (installed.isSetUp) return installed;
    return installer.setUp(installed, {
      ...options,
      environment: environment(filesOf(installed)),
      timeoutMs: firstRunTimeoutMs,
      logger: logger.child('first_run'),
    });
  }

  #failed(thrown: unknown, id: PackageId | undefined): void {
    const { random, logger } = this.#options;
    const error = toArmatureError(thrown);
    const isOfPackage = PACKAGE_ERRORS.has(error.code);
    const delayMs = backoffDelayMs(isOfPackage ? PACKAGE_BACKOFF : CONNECTION_BACKOFF, ++this.#failures, random());
    this.#loop.wakeAfter(delayMs);
    const reason = id === undefined ? error.message : `${nameOf(id)} cannot be used: ${error.message}`;
    if (reason !== this.#trouble) {
      this.#trouble = reason;
      logger[isOfPackage ? 'error' : 'warn'](`${reason}. It is tried again by itself.`);
    }
    if (id !== undefined && isOfPackage) this.#reject(id, error.message);
    this.#runInstalled(reason);
  }

  /** Keeps the running version; without one, runs an installed version, or reports that there is none. */
  #runInstalled(reason: string): void {
    if (this.#offered !== undefined) return;
    const installed = this.#installed.runnable;
    if (installed !== undefined) this.#offer(installed, reason);
    else if (reason !== this.#missing) {
      this.#missing = reason;
      this.#observer.onMissing(reason);
    }
  }

  /** @param instead why it is not the version from the registry; '' if it is */
  #offer(installed: InstalledPackage, instead: string): void {
    this.#offered = installed;
    this.#missing = '';
    if (instead !== '') this.#options.logger.warn(`${nameOf(installed)} runs, which is on this computer: ${instead}.`);
    this.#observer.onFiles(this.#filesOf(installed));
  }

  #reject({ version }: PackageId, reason: string): void {
    this.#progress.report({ version, step: 'rejected', doneBytes: 0, totalBytes: 0, reason });
  }

  #installedOf(files: ModuleFiles): InstalledPackage | undefined {
    return this.#files.get(files.root)?.installed;
  }

  /** Returns the same object for the same version, so that it can be compared by identity. */
  #filesOf(installed: InstalledPackage): ModuleFiles {
    const known = this.#files.get(installed.root) ?? { installed, files: filesOf(installed) };
    this.#files.set(installed.root, known);
    return known.files;
  }
}

function filesOf({ version, root, entrypoint }: InstalledPackage): ModuleFiles {
  return { version, root, executable: path.join(root, entrypoint) };
}
