import type { Selectable } from 'kysely';
import {
  choosePackageVersion,
  packageNameProblem,
  packageVersionProblem,
  type UploadedVersion,
} from '../../../../proto/config/model-meta.ts';
import { trainingScriptProblem } from '../../../../proto/config/training-script.ts';
import type { VersionAnswer } from '../../../../proto/config/module-versions.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { BlobUploads } from '../../blobs/blob-uploads.ts';
import type { Blobs } from '../../blobs/blobs.ts';
import type { EventLog } from '../../events/event-log.ts';
import { notFound } from '../../places/fleet-errors.ts';
import type { Store } from '../../storage/store.ts';
import type { Queries } from '../../storage/tables.ts';
import { checkFilesInThread } from '../packages/check-aside.ts';
import type { PackedFile } from '../packages/files-check.ts';
import type { PackagesTable } from '../tables.ts';

export type StoredPackageType = PackagesTable['type'];

/** Identifies a package, without a version. */
export interface PackageName {
  readonly organizationId: string;
  readonly type: StoredPackageType;
  readonly name: string;
}

/** A version of a package that is not a module. */
export interface StoredPackage extends PackageName {
  readonly version: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** CRC-32C of its bytes, base64. */
  readonly crc32c: string;
  /** At most the first 1,000. */
  readonly files: readonly PackedFile[];
  /** As its uploader gave it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Wall-clock milliseconds. */
  readonly uploadedAt: number;
  /** Display name. */
  readonly uploadedBy: string;
}

/** A version to add. */
export interface NewPackage extends PackageName {
  readonly version: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Display name of who adds it. */
  readonly author: string;
  /** A gzipped tar archive. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called to end the call when no bytes arrive for too long. */
  readonly onIdle: (reason: ArmatureError) => void;
}

export interface PackagesOptions {
  readonly store: Store;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly uploads: BlobUploads;
}

/** Characters of JSON: enough for a few lines and the labels of a model. */
const MAX_METADATA_LENGTH = 256 * 1024;

/** `organization id/name`, as in "package" of a configuration. */
export function packageIdOf({ organizationId, name }: Pick<PackageName, 'organizationId' | 'name'>): string {
  return `${organizationId}/${name}`;
}

/** @throws {ArmatureError} `call.not_found` if the id is malformed */
export function readPackageId(id: string): Pick<PackageName, 'organizationId' | 'name'> {
  const [organizationId = '', name = '', more] = id.split('/');
  if (organizationId === '' || name === '' || more !== undefined) throw notFound('package', id);
  return { organizationId, name };
}

/**
 * Packages other than modules: machine learning models, training scripts, archives. The caller checks permissions.
 */
export class Packages {
  readonly #options: PackagesOptions;

  constructor(options: PackagesOptions) {
    this.#options = options;
  }

  /**
   * Calls back with `organization id/name` of each package when a version of it is added or deleted. Returns an
   * unsubscribe function.
   */
  onChange(listener: (packageId: string) => void): () => void {
    return this.#options.events.follow((event) => {
      if (event.kind === 'package.changed') listener(event.payload.packageId);
    });
  }

  /**
   * Receives a version, checks it and stores it. If anything fails, nothing is stored.
   * @throws {ArmatureError} `call.bad_argument`, `registry.version_exists`, `registry.bad_package`, `call.overloaded`,
   *   `call.too_large`, `store.full`
   */
  async add(added: NewPackage): Promise<StoredPackage> {
    const { organizationId, type, name, version, metadata, author, chunks, onIdle } = added;
    const { store, events, clock, blobs, uploads } = this.#options;
    const problem = packageNameProblem(name) ?? packageVersionProblem(version);
    if (problem !== undefined) throw new ArmatureError('call.bad_argument', problem);
    const metadataText = JSON.stringify(metadata);
    if (metadataText.length > MAX_METADATA_LENGTH) {
      throw new ArmatureError(
        'call.too_large',
        `The metadata has ${metadataText.length} characters; ${MAX_METADATA_LENGTH} is the most.`,
      );
    }
    // Refuses a taken version now, before the client sends up to a gigabyte.
    await this.#requireNew(added, store.db);
    return uploads.receive(chunks, onIdle, async (draft, hash) => {
      if (draft.bytes === 0) {
        const message = 'The upload has no bytes: send the package after its description.';
        throw new ArmatureError('call.bad_argument', message);
      }
      const { files, crc32c } = await checkFilesInThread(draft.path);
      const noScript = type === 'ml_training' ? trainingScriptProblem(files.map((file) => file.name)) : undefined;
      if (noScript !== undefined) throw new ArmatureError('registry.bad_package', noScript);
      const sha256 = hash.toString('hex');
      const row = {
        organization_id: organizationId,
        type,
        name,
        version,
        bytes: draft.bytes,
        sha256,
        crc32c,
        files: JSON.stringify(files),
        metadata: metadataText,
        uploaded_at: clock.now(),
        uploaded_by: author,
      };
      await blobs.keep(draft, sha256, async (tx) => {
        await this.#requireNew(added, tx);
        await tx.insertInto('packages').values(row).execute();
        const payload = { packageId: packageIdOf(added), type, version };
        await events.append([{ kind: 'package.changed', organizationId, payload }], tx);
      });
      return packageOf(row);
    });
  }

  /** One version. @throws {ArmatureError} `call.not_found` */
  async get(wanted: PackageName & { readonly version: string }): Promise<StoredPackage> {
    const row = await this.#of(wanted, this.#options.store.db)
      .selectAll()
      .where('version', '=', wanted.version)
      .executeTakeFirst();
    if (row === undefined) throw noVersion(wanted, wanted.version);
    return packageOf(row);
  }

  /** Versions of packages, last uploaded first. An undefined filter matches everything. */
  async list(
    organizationIds: readonly string[],
    { type, name, version }: { readonly [K in 'type' | 'name' | 'version']?: string | undefined } = {},
  ): Promise<readonly StoredPackage[]> {
    if (organizationIds.length === 0) return [];
    let rows = this.#options.store.db
      .selectFrom('packages')
      .selectAll()
      .where('organization_id', 'in', organizationIds);
    if (type !== undefined) rows = rows.where('type', '=', type as StoredPackageType);
    if (name !== undefined) rows = rows.where('name', '=', name);
    if (version !== undefined) rows = rows.where('version', '=', version);
    return (await rows.orderBy('uploaded_at', 'desc').orderBy('version').execute()).map(packageOf);
  }

  /** Versions of one package, last uploaded first; empty if there is no such package. */
  async versionsOf(wanted: PackageName): Promise<readonly UploadedVersion[]> {
    const rows = await this.#of(wanted, this.#options.store.db)
      .select(['version', 'uploaded_at'])
      .orderBy('uploaded_at', 'desc')
      .orderBy('version')
      .execute();
    return rows.map(({ version, uploaded_at }) => ({ version, uploadedAt: uploaded_at }));
  }

  /** The version that a machine would get now. */
  async resolve(wanted: PackageName, version: string): Promise<VersionAnswer> {
    return choosePackageVersion(packageIdOf(wanted), version, await this.versionsOf(wanted));
  }

  /**
   * Opens the bytes of a version from `offset`. The caller closes them.
   * @throws {ArmatureError} `store.corrupt`, `store.unavailable`
   */
  open({ sha256, bytes }: StoredPackage, offset: number): ReturnType<Blobs['open']> {
    return this.#options.blobs.open(sha256, bytes, offset);
  }

  /** Deletes a version. @throws {ArmatureError} `call.not_found` */
  async delete(wanted: PackageName & { readonly version: string }): Promise<void> {
    const { organizationId, type, version } = wanted;
    await this.#options.blobs.release(async (tx, letGo) => {
      const row = await this.#of(wanted, tx).select('sha256').where('version', '=', version).executeTakeFirst();
      if (row === undefined) throw noVersion(wanted, version);
      await letGo([row.sha256]);
      await tx
        .deleteFrom('packages')
        .where('organization_id', '=', organizationId)
        .where('type', '=', type)
        .where('name', '=', wanted.name)
        .where('version', '=', version)
        .execute();
      const payload = { packageId: packageIdOf(wanted), type, version };
      await this.#options.events.append([{ kind: 'package.changed', organizationId, payload }], tx);
    });
  }

  #of({ organizationId, type, name }: PackageName, db: Queries) {
    return db
      .selectFrom('packages')
      .where('organization_id', '=', organizationId)
      .where('type', '=', type)
      .where('name', '=', name);
  }

  async #requireNew(added: PackageName & { readonly version: string }, db: Queries): Promise<void> {
    const { version } = added;
    const same = await this.#of(added, db).select('version').where('version', '=', version).executeTakeFirst();
    if (same === undefined) return;
    throw new ArmatureError(
      'registry.version_exists',
      `${added.name} ${version} is there already, and a version never changes: upload it as the next one.`,
      { details: { name: added.name, version } },
    );
  }
}

function packageOf(row: Selectable<PackagesTable>): StoredPackage {
  const { organization_id: organizationId, uploaded_at: uploadedAt, uploaded_by: uploadedBy } = row;
  const { type, name, version, bytes, sha256, crc32c } = row;
  return {
    organizationId,
    type,
    name,
    version,
    bytes,
    sha256,
    crc32c,
    files: JSON.parse(row.files) as PackedFile[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    uploadedAt,
    uploadedBy,
  };
}

function noVersion(wanted: PackageName, version: string): ArmatureError {
  return notFound('package', `${packageIdOf(wanted)} ${version}`);
}
