import {
  PackageType,
  type CreatePackageRequest,
  type Package,
  type PackageInfo,
  type PackageServiceDefinition,
} from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { firstValue } from '../../../rpc/metadata.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import { authorName } from '../../access/author.ts';
import type { Caller } from '../../access/caller.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import { notFound } from '../../places/fleet-errors.ts';
import { organizationPlace } from '../../places/place.ts';
import type { Store } from '../../storage/store.ts';
import { filePath } from './file-path.ts';
import { packageIdOf, readPackageId, type Packages, type StoredPackage, type StoredPackageType } from './packages.ts';

const wireTypes: Readonly<Record<StoredPackageType, PackageType>> = {
  ml_model: PackageType.ML_MODEL,
  archive: PackageType.ARCHIVE,
  ml_training: PackageType.ML_TRAINING,
};

export interface PackageCallsOptions {
  readonly packages: Packages;
  readonly store: Store;
}

/** The service by which tools of the public ecosystem upload and fetch packages other than modules. */
export function packageCalls({ packages, store }: PackageCallsOptions): HubHandlers<typeof PackageServiceDefinition> {
  return {
    async createPackage(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const info = infoOf((await messages.next()) as IteratorResult<CreatePackageRequest, undefined>);
      const type = typeOf(info.type);
      await caller.require('package.write', { type: 'organization', id: info.organizationId }, store.db);
      const added = await packages.add({
        organizationId: info.organizationId,
        type,
        name: info.name,
        version: info.version,
        metadata: info.metadata ?? {},
        author: await nameOfAuthor(caller, store),
        chunks: contentsOf({ [Symbol.asyncIterator]: () => messages }),
        onIdle: (reason) => call.cancel(reason),
      });
      return { id: packageIdOf(added), version: added.version };
    },

    async deletePackage({ id, version, type }, caller) {
      const name = { ...readablePackage(caller, id), type: typeOf(type) };
      await caller.require('package.write', { type: 'organization', id: name.organizationId }, store.db);
      await packages.delete({ ...name, version });
      return {};
    },

    async getPackage({ id, version, type, includeUrl = false }, caller, call) {
      const name = readablePackage(caller, id);
      // Without a type any type matches, as in the public registry.
      const types = type === undefined || type === PackageType.UNSPECIFIED ? storedTypes : [typeOf(type)];
      let problem = '';
      for (const one of types) {
        const answer = await packages.resolve({ ...name, type: one }, version === '' ? 'latest' : version);
        problem ||= answer.problem;
        if (answer.version === '') continue;
        const found = await packages.get({ ...name, type: one, version: answer.version });
        return { package: packageMessage(found, includeUrl ? addressOf(call) : undefined) };
      }
      throw new ArmatureError('call.not_found', problem, { details: { id, version } });
    },

    async listPackages({ organizationId, name, version, type, includeUrl = false }, caller, call) {
      await caller.require('package.read', { type: 'organization', id: organizationId }, store.db);
      const isAny = type === undefined || type === PackageType.UNSPECIFIED;
      const found = await packages.list([organizationId], {
        type: isAny ? undefined : typeOf(type),
        name: name === '' ? undefined : name,
        version: version === '' ? undefined : version,
      });
      const address = includeUrl ? addressOf(call) : undefined;
      return { packages: found.map((one) => packageMessage(one, address)) };
    },
  };
}

const storedTypes = Object.keys(wireTypes) as readonly StoredPackageType[];

/** @throws {ArmatureError} `call.not_found`, the same for a missing package and one that the caller may not see */
export function readablePackage(caller: Caller, id: string): ReturnType<typeof readPackageId> {
  const name = readPackageId(id);
  if (!caller.may('package.read', organizationPlace(name.organizationId))) throw notFound('package', id);
  return name;
}

/** Reads a type as configurations write it. @throws {ArmatureError} `call.bad_argument` */
export function storedType(type: string): StoredPackageType {
  const found = storedTypes.find((one) => one === type);
  if (found !== undefined) return found;
  throw new ArmatureError(
    'call.bad_argument',
    `Packages of the type "${type.slice(0, 60)}" are not fetched here: the types are ${storedTypes.join(', ')}.`,
  );
}

/** Display name of the caller. */
export function nameOfAuthor({ author }: Caller, store: Store): Promise<string> {
  return author.type === 'local' ? Promise.resolve('this computer') : authorName(author, store.db);
}

/** @throws {ArmatureError} `call.bad_argument` for types that this service does not store, with advice */
function typeOf(type: PackageType): StoredPackageType {
  const found = storedTypes.find((one) => wireTypes[one] === type);
  if (found !== undefined) return found;
  const name = Object.entries(PackageType).find(([, value]) => value === type)?.[0] ?? String(type);
  const advice =
    type === PackageType.MODULE
      ? 'modules are uploaded by AppService.UploadModuleFile ("armature module upload") and fetched by RegistryService'
      : type === PackageType.UNSPECIFIED
        ? 'say which it is'
        : 'this hub keeps no such packages';
  throw new ArmatureError(
    'call.bad_argument',
    `The package type PACKAGE_TYPE_${name} is not taken here: ${advice}. PackageService has PACKAGE_TYPE_ML_MODEL, PACKAGE_TYPE_ML_TRAINING and PACKAGE_TYPE_ARCHIVE.`,
  );
}

function infoOf({ value }: IteratorResult<CreatePackageRequest, undefined>): PackageInfo {
  const part = value?.package;
  if (part?.$case === 'info') return part.value;
  throw new ArmatureError('call.bad_argument', 'The upload begins without "info": send that first, then "contents".');
}

async function* contentsOf(requests: AsyncIterable<CreatePackageRequest>): AsyncGenerator<Uint8Array> {
  for await (const { package: part } of requests) {
    if (part?.$case !== 'contents') {
      throw new ArmatureError('call.bad_argument', 'The upload has something other than "contents" after "info".');
    }
    yield part.value;
  }
}

/**
 * The address by which the caller reached this hub: `https://hub:8090`.
 * @throws {ArmatureError} `call.failed_precondition` if the call did not come through the hub's port
 */
function addressOf({ metadata, connection }: ServerCall): string {
  const authority = firstValue(metadata, ':authority') ?? firstValue(metadata, 'host') ?? '';
  const isByPort = connection.transport === 'grpc' || connection.transport === 'grpc-web';
  if (isByPort && authority !== '') return `${connection.isEncrypted ? 'https' : 'http'}://${authority}`;
  throw new ArmatureError(
    'call.failed_precondition',
    'A URL can be given only to callers that reach the hub by its port. Leave "include_url" out.',
  );
}

/** @param address of the hub, for the URL; undefined leaves the URL out */
function packageMessage(found: StoredPackage, address: string | undefined): Package {
  const { organizationId, name, version, type, metadata } = found;
  return {
    id: packageIdOf(found),
    info: {
      organizationId,
      name,
      version,
      type: wireTypes[type],
      files: found.files.map((file) => ({ name: file.name, size: BigInt(file.size), isDirectory: false })),
      metadata,
      platform: undefined,
    },
    url: address === undefined ? '' : `${address}${filePath(found)}`,
    createdOn: new Date(found.uploadedAt),
    checksum: found.sha256,
  };
}
