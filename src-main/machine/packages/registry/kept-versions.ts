import { platformFit } from '../../../../proto/config/module-platforms.ts';
import { compareVersions, isInChannel, type VersionChoice } from '../../../../proto/config/module-versions.ts';
import type { ModuleConfig } from '../../config/machine-config.ts';
import type { MachineMemory, ModuleMemory, VersionOf } from '../machine-memory.ts';
import type { KeptPackage, ModuleStore } from '../module-store.ts';
import type { PackageId } from '../package-id.ts';

export interface KeptVersionsParts {
  readonly store: ModuleStore;
  readonly memory: MachineMemory;
  /** Of this computer: `linux/amd64`. */
  readonly platform: string;
}

/** The packages of one configured module that are on this computer and may run, and what is remembered of them. */
export class KeptVersions {
  readonly #parts: KeptVersionsParts;
  readonly #module: Pick<ModuleConfig, 'name' | 'moduleId'>;
  readonly #choice: VersionChoice | undefined;
  /** The newest first. */
  #kept: readonly KeptPackage[] = [];

  constructor(
    module: Pick<ModuleConfig, 'name' | 'moduleId'>,
    choice: VersionChoice | undefined,
    parts: KeptVersionsParts,
  ) {
    this.#module = module;
    this.#choice = choice;
    this.#parts = parts;
  }

  /** Sees what is there now. */
  async look(): Promise<void> {
    const kept = await this.#parts.store.kept(this.#module.moduleId);
    this.#kept = kept
      .filter((one) => this.isAllowed(one))
      .toSorted((one, other) => compareVersions(other.version, one.version));
  }

  get all(): readonly KeptPackage[] {
    return this.#kept;
  }

  get memory(): ModuleMemory {
    return this.#parts.memory.of(this.#module.name, this.#module.moduleId);
  }

  remember(change: Partial<ModuleMemory>): void {
    this.#parts.memory.change(this.#module.name, this.#module.moduleId, change);
  }

  /** Whether the configuration and the computer allow it. */
  isAllowed({ version, platform }: VersionOf): boolean {
    return (
      this.#choice !== undefined &&
      isInChannel(this.#choice, version) &&
      platformFit(platform, this.#parts.platform) > 0
    );
  }

  /** It became ready. */
  accept(kept: KeptPackage): void {
    const { accepted, previous, rejected } = this.memory;
    const isNew = accepted === null || !isSameVersion(accepted, kept);
    this.remember({
      accepted: versionOf(kept),
      previous: isNew ? accepted : previous,
      rejected: rejected !== null && isSameVersion(rejected, kept) ? null : rejected,
    });
  }

  /**
   * It did not become ready.
   * @returns whether it is held to be bad: what was ready once is not, something else has changed
   */
  reject(kept: KeptPackage, reason: string): boolean {
    const { accepted } = this.memory;
    if (accepted !== null && isSameVersion(accepted, kept)) return false;
    this.remember({ rejected: { ...versionOf(kept), reason } });
    return true;
  }

  /** Why a version is not offered, though it is the one to run; undefined where it is, or there is no other. */
  refusalOf(id: PackageId): string | undefined {
    const { rejected } = this.memory;
    if (rejected === null || !isSameVersion(rejected, id) || this.#newestSetUp() === undefined) return undefined;
    return rejected.reason;
  }

  /** What to run without anybody's help: the newest that became ready once, else the newest that is set up. */
  get runnable(): KeptPackage | undefined {
    const { accepted, previous } = this.memory;
    const isKnown = (one: KeptPackage): boolean =>
      [accepted, previous].some((known) => known !== null && isSameVersion(known, one));
    return this.#kept.find((one) => one.isSetUp && !this.#isRejected(one) && isKnown(one)) ?? this.#newestSetUp();
  }

  /** The newest there is, set up or not. */
  get newest(): KeptPackage | undefined {
    return this.#kept.find((one) => !this.#isRejected(one)) ?? this.#kept[0];
  }

  #newestSetUp(): KeptPackage | undefined {
    return this.#kept.find((one) => one.isSetUp && !this.#isRejected(one));
  }

  #isRejected(kept: KeptPackage): boolean {
    const { rejected } = this.memory;
    return rejected !== null && isSameVersion(rejected, kept);
  }
}

export function isSameVersion(one: VersionOf, other: VersionOf): boolean {
  return one.version === other.version && one.platform === other.platform;
}

function versionOf({ version, platform }: KeptPackage): VersionOf {
  return { version, platform };
}
