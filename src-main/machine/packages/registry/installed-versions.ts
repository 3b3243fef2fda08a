import { platformFit } from '../../../../proto/config/module-platforms.ts';
import { compareVersions, isInChannel, type VersionChoice } from '../../../../proto/config/module-versions.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { VersionHistory, ModuleVersionRecord, PackageVersion } from '../version-history.ts';
import type { InstalledPackage, ModuleStore } from '../module-store.ts';
import type { PackageId } from '../package-id.ts';

export interface InstalledVersionsOptions {
  readonly store: ModuleStore;
  readonly history: VersionHistory;
  /** Of this computer: `linux/amd64`. */
  readonly platform: string;
}

/** The installed packages of one configured module that may run, with their history. */
export class InstalledVersions {
  readonly #parts: InstalledVersionsOptions;
  readonly #module: Pick<ModuleConfig, 'name' | 'moduleId'>;
  readonly #choice: VersionChoice | undefined;
  /** Newest first. */
  #installed: readonly InstalledPackage[] = [];

  constructor(
    module: Pick<ModuleConfig, 'name' | 'moduleId'>,
    choice: VersionChoice | undefined,
    parts: InstalledVersionsOptions,
  ) {
    this.#module = module;
    this.#choice = choice;
    this.#parts = parts;
  }

  /** Reads again what is installed. */
  async refresh(): Promise<void> {
    const installed = await this.#parts.store.installed(this.#module.moduleId);
    this.#installed = installed
      .filter((one) => this.isAllowed(one))
      .toSorted((one, other) => compareVersions(other.version, one.version));
  }

  get all(): readonly InstalledPackage[] {
    return this.#installed;
  }

  get history(): ModuleVersionRecord {
    return this.#parts.history.of(this.#module.name, this.#module.moduleId);
  }

  update(change: Partial<ModuleVersionRecord>): void {
    this.#parts.history.change(this.#module.name, this.#module.moduleId, change);
  }

  /** Whether the configuration and the computer allow it. */
  isAllowed({ version, platform }: PackageVersion): boolean {
    return (
      this.#choice !== undefined &&
      isInChannel(this.#choice, version) &&
      platformFit(platform, this.#parts.platform) > 0
    );
  }

  /** It became ready. */
  accept(installed: InstalledPackage): void {
    const { accepted, previous, rejected } = this.history;
    const isNew = accepted === null || !isSameVersion(accepted, installed);
    this.update({
      accepted: versionOf(installed),
      previous: isNew ? accepted : previous,
      rejected: rejected !== null && isSameVersion(rejected, installed) ? null : rejected,
    });
  }

  /**
   * It did not become ready.
   * @returns whether it counts as bad: if it was ready before, something else has changed
   */
  reject(installed: InstalledPackage, reason: string): boolean {
    const { accepted } = this.history;
    if (accepted !== null && isSameVersion(accepted, installed)) return false;
    this.update({ rejected: { ...versionOf(installed), reason } });
    return true;
  }

  /** Why the version to run is not offered; undefined if it is, or no other is installed. */
  refusalOf(id: PackageId): string | undefined {
    const { rejected } = this.history;
    if (rejected === null || !isSameVersion(rejected, id) || this.#newestSetUp() === undefined) return undefined;
    return rejected.reason;
  }

  /**
   * The version to run without the registry: the newest that became ready before, else the newest whose first run is
   * done.
   */
  get runnable(): InstalledPackage | undefined {
    const { accepted, previous } = this.history;
    const isKnown = (one: InstalledPackage): boolean =>
      [accepted, previous].some((known) => known !== null && isSameVersion(known, one));
    return this.#installed.find((one) => one.isSetUp && !this.#isRejected(one) && isKnown(one)) ?? this.#newestSetUp();
  }

  /** The newest one, whether its first run is done or not. */
  get newest(): InstalledPackage | undefined {
    return this.#installed.find((one) => !this.#isRejected(one)) ?? this.#installed[0];
  }

  #newestSetUp(): InstalledPackage | undefined {
    return this.#installed.find((one) => one.isSetUp && !this.#isRejected(one));
  }

  #isRejected(installed: InstalledPackage): boolean {
    const { rejected } = this.history;
    return rejected !== null && isSameVersion(rejected, installed);
  }
}

export function isSameVersion(one: PackageVersion, other: PackageVersion): boolean {
  return one.version === other.version && one.platform === other.platform;
}

function versionOf({ version, platform }: InstalledPackage): PackageVersion {
  return { version, platform };
}
