import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { toArmatureError } from '../../base/errors.ts';
import { Mutex } from '../../base/async/mutex.ts';
import { JsonRecord } from '../../base/files/json-record.ts';

/** A version of a module, and the platform that its package is for. */
export interface PackageVersion {
  readonly version: string;
  readonly platform: string;
}

/** What one machine remembers about one of its modules. */
export interface ModuleVersionRecord {
  readonly moduleId: string;
  /** The last version that became ready, and the previous one, for falling back. */
  readonly accepted: PackageVersion | null;
  readonly previous: PackageVersion | null;
  /** The version that did not become ready, and why. */
  readonly rejected: (PackageVersion & { readonly reason: string }) | null;
  /** When it was configured last, milliseconds. */
  readonly usedAt: number;
}

/** By the module's name in the configuration. */
export type VersionRecords = Readonly<Record<string, ModuleVersionRecord>>;

const NONE: ModuleVersionRecord = { moduleId: '', accepted: null, previous: null, rejected: null, usedAt: 0 };

/** Folder for the files of machines with the same home, below the folder of all packages. */
export const HISTORY_FOLDER = 'machines';

/**
 * What one machine remembers about its modules across restarts, in its own file: which versions became ready and which
 * did not. It never keeps a module from running: an unreadable file counts as missing.
 */
export class VersionHistory {
  /** Settles when the file was read. */
  readonly loaded: Promise<void>;
  readonly #record: JsonRecord<VersionRecords>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #modules = new Map<string, ModuleVersionRecord>();
  readonly #saves = new Mutex();

  /** @param machine identifies this machine among others with this home */
  constructor(folder: string, machine: string, clock: Clock, logger: Logger) {
    this.#record = versionRecordFile(path.join(folder, HISTORY_FOLDER, `${machine.replace(/[^\w-]/g, '_')}.json`));
    this.#clock = clock;
    this.#logger = logger;
    this.loaded = this.#load();
  }

  of(name: string, moduleId: string): ModuleVersionRecord {
    const record = this.#modules.get(name);
    // Another module under the old name does not inherit the history.
    return record?.moduleId === moduleId ? record : { ...NONE, moduleId };
  }

  change(name: string, moduleId: string, change: Partial<ModuleVersionRecord>): void {
    this.#modules.set(name, { ...this.of(name, moduleId), ...change, usedAt: this.#clock.now() });
    this.#save();
  }

  /** Forgets modules that were last configured earlier than `before` and that `isInUse` does not know. */
  forgetUnused(before: number, isInUse: (name: string) => boolean): void {
    for (const [name, { usedAt }] of this.#modules) {
      if (usedAt < before && !isInUse(name)) this.#modules.delete(name);
    }
    this.#save();
  }

  /** Settles when everything is on the disk. */
  drained(): Promise<void> {
    return this.#saves.idle();
  }

  async #load(): Promise<void> {
    const loaded = (await this.#record.load()) ?? {};
    for (const [name, record] of Object.entries(loaded)) {
      if (!this.#modules.has(name)) this.#modules.set(name, record);
    }
  }

  #save(): void {
    const saved = this.#saves.run(() => this.#record.save(Object.fromEntries(this.#modules)));
    saved.catch((thrown: unknown) => this.#logger.warn(toArmatureError(thrown).message));
  }
}

export function versionRecordFile(file: string): JsonRecord<VersionRecords> {
  return new JsonRecord({
    path: file,
    isValid: areVersionRecords,
    what: 'Which versions of modules became ready',
    nextStep: 'The next start may try a version again that did not.',
  });
}

function areVersionRecords(value: unknown): value is VersionRecords {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one: unknown) => {
    const { moduleId, accepted, previous, rejected, usedAt } = (one ?? {}) as Record<string, unknown>;
    const versions = [accepted, previous, rejected].every((version) => version === null || isVersion(version));
    return typeof moduleId === 'string' && typeof usedAt === 'number' && versions;
  });
}

function isVersion(value: unknown): value is PackageVersion {
  const { version, platform } = (value ?? {}) as Record<string, unknown>;
  return typeof version === 'string' && typeof platform === 'string';
}
