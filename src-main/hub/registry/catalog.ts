import type { Selectable } from 'kysely';
import {
  compareVersions,
  isPrerelease,
  type PublishedFile,
  type PublishedVersion,
} from '../../../proto/config/module-versions.ts';
import type { Store } from '../storage/store.ts';
import type { ModulesTable } from './tables.ts';
import type { Queries } from '../storage/tables.ts';
import { readModuleId } from './module-ids.ts';
import type { ModuleModel } from './packages/package-check.ts';

export type ModuleRow = Selectable<ModulesTable>;

export interface CatalogFile extends PublishedFile {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Name of the publisher's key; '' if the hub signed. */
  readonly signedBy: string;
  /** Wall-clock milliseconds. */
  readonly uploadedAt: number;
}

export interface CatalogVersion extends PublishedVersion {
  readonly files: readonly CatalogFile[];
  readonly publishedAt: number;
  readonly publishedBy: string;
  readonly yankedAt: number | null;
}

/** A module with its versions, newest first, without their texts. */
export interface CatalogModule {
  readonly row: ModuleRow;
  readonly models: readonly ModuleModel[];
  readonly versions: readonly CatalogVersion[];
  /** The newest release that is not yanked. */
  readonly latest: CatalogVersion | undefined;
  /** The newest version that is not yanked, prereleases included. */
  readonly latestPrerelease: CatalogVersion | undefined;
}

/** Size of the cache. Machines of a fleet ask for the same modules. */
const MAX_CACHED_MODULES = 1_000;

/**
 * Reads modules and caches each until it changes: after a version is published the module is read once, however many
 * machines follow it.
 */
export class Catalog {
  readonly #store: Store;
  /** Least recently used first. */
  readonly #known = new Map<string, Promise<CatalogModule | undefined>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * @param moduleId `namespace:name`
   * @returns undefined if there is no such module
   */
  get(moduleId: string): Promise<CatalogModule | undefined> {
    const known = this.#known.get(moduleId);
    const found = known ?? this.#read(moduleId);
    this.#known.delete(moduleId);
    this.#known.set(moduleId, found);
    if (known === undefined) {
      // Neither a failure nor a missing module is cached: the next caller reads again.
      const forget = (): void => {
        if (this.#known.get(moduleId) === found) this.#known.delete(moduleId);
      };
      found.then((module) => module ?? forget(), forget);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MAX_CACHED_MODULES && oldest !== undefined) this.#known.delete(oldest);
    }
    return found;
  }

  /** Removes a module that has changed, also one that is being read: that read may still return the old state. */
  forget(moduleId: string): void {
    this.#known.delete(moduleId);
  }

  async #read(moduleId: string): Promise<CatalogModule | undefined> {
    const { db } = this.#store;
    const row = await findModule(db, moduleId);
    if (row === undefined) return undefined;
    const [versions, files] = await Promise.all([
      db
        .selectFrom('module_versions')
        .select(['version', 'published_at', 'published_by', 'yanked', 'yanked_at'])
        .where('module_id', '=', row.id)
        .execute(),
      db
        .selectFrom('module_files')
        .select(['version', 'platform', 'tags', 'bytes', 'sha256', 'signed_by', 'uploaded_at'])
        .where('module_id', '=', row.id)
        .orderBy('platform')
        .execute(),
    ]);
    const all = versions
      .map((version): CatalogVersion => ({
        version: version.version,
        yanked: version.yanked,
        yankedAt: version.yanked_at,
        publishedAt: version.published_at,
        publishedBy: version.published_by,
        files: files
          .filter((file) => file.version === version.version)
          .map((file) => ({
            platform: file.platform,
            tags: JSON.parse(file.tags) as string[],
            bytes: file.bytes,
            sha256: file.sha256,
            signedBy: file.signed_by,
            uploadedAt: file.uploaded_at,
          })),
      }))
      .sort((a, b) => compareVersions(b.version, a.version));
    const good = all.filter(({ yanked }) => yanked === '');
    return {
      row,
      models: modelsOf(row.models),
      versions: all,
      latest: good.find(({ version }) => !isPrerelease(version)),
      latestPrerelease: good[0],
    };
  }
}

/** Parses the models of a row. */
export function modelsOf(json: string): ModuleModel[] {
  return JSON.parse(json) as ModuleModel[];
}

/** The row of a module. @throws {ArmatureError} `call.not_found` if the id is malformed */
export async function findModule(db: Queries, moduleId: string): Promise<ModuleRow | undefined> {
  const { namespace, name } = readModuleId(moduleId);
  return db
    .selectFrom('modules')
    .selectAll()
    .where('namespace', '=', namespace)
    .where('name', '=', name)
    .executeTakeFirst();
}
