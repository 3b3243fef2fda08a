import { compareVersions, isPrerelease } from '../../../proto/config/module-versions.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { BlobUploads, type UploadLimits } from '../blobs/blob-uploads.ts';
import type { Blobs } from '../blobs/blobs.ts';
import type { HubEvent } from '../events/event-kinds.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Store } from '../storage/store.ts';
import type { WriteTransaction } from '../storage/tables.ts';
import { Catalog, modelsOf, type CatalogModule, type ModuleRow } from './catalog.ts';
import { moduleIdOf, noModule } from './module-ids.ts';
import { Packages } from './models/packages.ts';
import { Modules, type ModuleChange } from './modules.ts';
import { checkPackageInThread } from './packages/check-aside.ts';
import { foreignWarning, type PackageFacts } from './packages/package-check.ts';
import { Signing, type PackageProof, type SignedPackage } from './packages/package-signing.ts';
import { PublisherKeys, RegistryKey } from './publisher-keys.ts';
import { checkUploadInfo, UPLOAD_LIMITS, type UploadInfo } from './packages/upload-info.ts';
import { ModuleUsage } from './usage.ts';

export interface RegistryOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Stores the packages. */
  readonly blobs: BlobStore;
  readonly limits?: UploadLimits | undefined;
}

/** Name of the blob area with the packages. */
export const PACKAGES = 'registry';

/** A package to publish. */
export interface Publication {
  readonly info: UploadInfo;
  readonly proof: PackageProof | undefined;
  /** Display name of who uploads it. */
  readonly author: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called to end the call when no bytes arrive for too long. */
  readonly onIdle: (reason: ArmatureError) => void;
}

/** Modules with their versions, packages and signatures. The caller checks permissions. */
export class Registry {
  readonly catalog: Catalog;
  readonly keys: PublisherKeys;
  readonly packages: Blobs;
  readonly usage: ModuleUsage;
  readonly modules: Modules;
  /** Packages other than modules: machine learning models, training scripts, archives. */
  readonly others: Packages;
  readonly #store: Store;
  readonly #events: EventLog;
  readonly #clock: Clock;
  readonly #uploads: BlobUploads;
  readonly #logger: Logger;
  readonly #signing: Signing;

  private constructor({ store, events, clock, blobs, limits, logger }: RegistryOptions, hubKey: RegistryKey) {
    this.#store = store;
    this.#events = events;
    this.#clock = clock;
    this.packages = blobs.area({ area: PACKAGES, isUsed: (sha256) => isPackage(store, sha256) });
    this.catalog = new Catalog(store);
    this.keys = new PublisherKeys(store, clock, hubKey);
    this.#logger = logger;
    this.usage = new ModuleUsage(store);
    this.modules = new Modules(store, clock, events);
    this.#uploads = new BlobUploads({ blobs: this.packages, clock, limits: limits ?? UPLOAD_LIMITS, what: 'package' });
    this.#signing = new Signing(this.keys, hubKey);
    this.others = new Packages({ store, events, clock, blobs: this.packages, uploads: this.#uploads });
  }

  /** Opens the registry, and removes files of uploads that the end of the program cut off. */
  static async open(options: RegistryOptions): Promise<Registry> {
    const registry = new Registry(options, await RegistryKey.open(options.store));
    await registry.packages.start();
    return registry;
  }

  /**
   * Calls back with the id of each module that is created, changed, published, yanked or deleted. Returns an
   * unsubscribe function.
   */
  onChange(listener: (moduleId: string) => void): () => void {
    return this.#events.follow((event) => {
      const moduleId = moduleIn(event);
      if (moduleId !== undefined) listener(moduleId);
    });
  }

  /** @throws {ArmatureError} `call.bad_argument`, `fleet.name_taken` */
  async create(
    organization: { readonly id: string; readonly public_namespace: string | null },
    name: string,
  ): Promise<string> {
    const id = moduleIdOf(await this.modules.create(organization, name));
    this.catalog.forget(id);
    return id;
  }

  /** @throws {ArmatureError} `call.not_found` */
  async get(moduleId: string): Promise<CatalogModule> {
    const found = await this.catalog.get(moduleId);
    if (found === undefined) throw noModule(moduleId);
    return found;
  }

  /** @throws {ArmatureError} `call.not_found`, `call.too_large` */
  async update(moduleId: string, change: ModuleChange): Promise<void> {
    await this.modules.update(moduleId, change);
    this.catalog.forget(moduleId);
  }

  /** Changes the id of a module without versions; see {@link Modules.rename}. @returns its new id */
  async rename(
    moduleId: string,
    to: Partial<Pick<ModuleRow, 'namespace' | 'name' | 'organization_id'>>,
  ): Promise<string> {
    const id = moduleIdOf(await this.modules.rename(moduleId, to));
    this.catalog.forget(moduleId);
    this.catalog.forget(id);
    return id;
  }

  /**
   * Receives a package, checks it and publishes it. If anything fails, nothing is stored.
   * @param row the module
   * @throws {ArmatureError} `call.bad_argument`, `registry.version_exists`, `registry.bad_package`,
   *   `registry.bad_signature`, `call.overloaded`, `call.too_large`, `store.full`
   */
  async publish(row: ModuleRow, { info, proof, author, chunks, onIdle }: Publication): Promise<void> {
    checkUploadInfo(info);
    // Refuses a wrong key or a taken version now, before the client sends up to a gigabyte.
    const signer = await this.#signing.signerOf(row.organization_id, proof);
    requireNew(await this.get(info.moduleId), info);
    await this.#uploads.receive(chunks, onIdle, async (draft, sha256) => {
      if (draft.bytes === 0) {
        const message = 'The upload has no bytes: send the package after its description.';
        throw new ArmatureError('call.bad_argument', message);
      }
      const signed = this.#signing.sign(info, sha256, signer);
      const facts = await checkPackageInThread(draft.path, info.moduleId);
      if (facts.foreign.length > 0) this.#logger.warn(foreignWarning(facts.foreign, info.moduleId));
      const checked = { module: row, info, author, facts, signed };
      await this.packages.keep(draft, sha256.toString('hex'), (tx) => this.#insert(checked, draft.bytes, tx));
    });
  }

  /**
   * Takes a version out of every channel, or puts it back.
   * @param reason '' puts it back
   * @throws {ArmatureError} `call.not_found`
   */
  async yank(moduleId: string, version: string, reason: string): Promise<void> {
    const { row } = await this.get(moduleId);
    await this.#store.transaction(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('module_versions')
        .set({ yanked: reason, yanked_at: reason === '' ? null : this.#clock.now() })
        .where('module_id', '=', row.id)
        .where('version', '=', version)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw noVersion(moduleId, version);
      const payload = { moduleId, version, isUndone: reason === '' };
      await this.#events.append([{ kind: 'version.yanked', organizationId: row.organization_id, payload }], tx);
    });
    this.catalog.forget(moduleId);
  }

  /** Deletes a module with its versions and their packages. */
  async delete(moduleId: string): Promise<void> {
    const { row } = await this.get(moduleId);
    await this.packages.release(async (tx, letGo) => {
      this.#forgetAfter(moduleId, tx);
      // Read in the transaction: a version may have been published since the module was looked up.
      const files = await tx.selectFrom('module_files').select('sha256').where('module_id', '=', row.id).execute();
      await letGo(files.map(({ sha256 }) => sha256));
      await this.modules.delete(row, tx);
    });
  }

  async #insert({ module, info, author, facts, signed }: Checked, bytes: number, tx: WriteTransaction): Promise<void> {
    const { moduleId, version, platform, platformTags } = info;
    this.#forgetAfter(moduleId, tx);
    const row = await this.modules.get(moduleId, tx);
    // The module was deleted and created again meanwhile, perhaps by somebody with other keys.
    if (row.id !== module.id) throw noModule(moduleId);
    const now = this.#clock.now();
    const versions = await tx.selectFrom('module_versions').select('version').where('module_id', '=', row.id).execute();
    const others = versions.map((known) => known.version).filter((known) => known !== version);
    if (others.length === versions.length) {
      const { meta, models, readme } = facts;
      const own = { entrypoint: meta.entrypoint, first_run: meta.first_run ?? '', readme, yanked: '', yanked_at: null };
      const named = models.length > 0 ? models : modelsOf(row.models);
      const published = { published_at: now, published_by: author, models: JSON.stringify(named) };
      await tx
        .insertInto('module_versions')
        .values({ module_id: row.id, version, ...published, ...own })
        .execute();
    }
    const same = await tx
      .selectFrom('module_files')
      .select('platform')
      .where('module_id', '=', row.id)
      .where('version', '=', version)
      .where('platform', '=', platform)
      .executeTakeFirst();
    if (same !== undefined) throw versionExists(info);
    await tx
      .insertInto('module_files')
      .values({
        module_id: row.id,
        version,
        platform,
        tags: JSON.stringify(platformTags),
        bytes,
        uploaded_at: now,
        ...signed,
      })
      .execute();
    await this.modules.change(row, changeOf(row, facts, isNewest(version, others)), tx);
    const payload = { moduleId, version, platform };
    await this.#events.append([{ kind: 'package.published', organizationId: row.organization_id, payload }], tx);
  }

  /** Clears the cache as soon as the transaction ends: listeners that hear of the change must read the new state. */
  #forgetAfter(moduleId: string, tx: WriteTransaction): void {
    this.#store.onEnd(tx, () => this.catalog.forget(moduleId));
  }
}

interface Checked {
  /** As it was when the caller's permission was checked. */
  readonly module: ModuleRow;
  readonly info: UploadInfo;
  readonly author: string;
  readonly facts: PackageFacts;
  readonly signed: SignedPackage;
}

async function isPackage({ db }: Store, sha256: string): Promise<boolean> {
  const ofModule = db.selectFrom('module_files').select('sha256').where('sha256', '=', sha256);
  const other = db.selectFrom('packages').select('sha256').where('sha256', '=', sha256);
  return (await ofModule.union(other).executeTakeFirst()) !== undefined;
}

function moduleIn(event: HubEvent): string | undefined {
  return 'moduleId' in event.payload ? event.payload.moduleId : undefined;
}

/**
 * What a new package changes in its module. Models, entrypoint and first run come from the newest release only; a
 * missing description or URL comes from any version.
 */
function changeOf(row: ModuleRow, { meta, models }: PackageFacts, isNewest: boolean): ModuleChange {
  const describes = row.description === '' && meta.description != null;
  const links = row.url === '' && meta.url != null;
  return {
    ...(isNewest && models.length > 0 ? { models } : {}),
    ...(isNewest ? { entrypoint: meta.entrypoint, firstRun: meta.first_run ?? '' } : {}),
    ...(describes ? { description: meta.description ?? '' } : {}),
    ...(links ? { url: meta.url ?? '' } : {}),
  };
}

/** Whether a version is the newest. Releases take precedence over prereleases, however new those are. */
function isNewest(version: string, others: readonly string[]): boolean {
  const releases = others.filter((other) => !isPrerelease(other));
  if (isPrerelease(version) && releases.length > 0) return false;
  return (isPrerelease(version) ? others : releases).every((other) => compareVersions(other, version) < 0);
}

function requireNew({ versions }: CatalogModule, info: UploadInfo): void {
  const same = versions.find(({ version }) => version === info.version);
  if (same?.files.some(({ platform }) => platform === info.platform) === true) throw versionExists(info);
}

function versionExists({ moduleId, version, platform }: UploadInfo): ArmatureError {
  return new ArmatureError(
    'registry.version_exists',
    `${moduleId} ${version} for ${platform} is published, and a version never changes: publish the next one.`,
    { details: { moduleId, version, platform } },
  );
}

/** The error for a version that does not exist. */
export function noVersion(moduleId: string, version: string): ArmatureError {
  return new ArmatureError('call.not_found', `${moduleId} has no version "${version.slice(0, 120)}".`);
}
