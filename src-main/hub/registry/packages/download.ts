import type { DownloadResponse } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { CatalogModule } from '../catalog.ts';
import type { PackageName, Packages } from '../models/packages.ts';
import { moduleIdOf } from '../module-ids.ts';
import { noVersion, type Registry } from '../registry.ts';

export interface PackageRequest {
  readonly version: string;
  /** As the package was uploaded, e.g. `linux/any`. */
  readonly platform: string;
  /** Bytes that the caller already has. */
  readonly offset: number;
}

/**
 * Sends the description of a package, then its bytes. Each chunk is read only when the one before it has been sent, so
 * a slow reader costs no memory.
 * @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `store.corrupt`, `store.unavailable`
 */
export async function* downloadPackage(
  registry: Registry,
  { row, versions }: CatalogModule,
  { version, platform, offset }: PackageRequest,
): AsyncGenerator<DownloadResponse> {
  const id = moduleIdOf(row);
  const published = versions.find((known) => known.version === version);
  if (published === undefined) throw noVersion(id, version);
  if (!published.files.some((known) => known.platform === platform)) {
    const platforms = published.files.map((known) => known.platform).join(', ');
    throw new ArmatureError(
      'call.not_found',
      `${id} ${version} has no package for "${platform.slice(0, 60)}", but for ${platforms}.`,
    );
  }
  const file = await registry.modules.file(row.id, version, platform);
  checkOffset(offset, file.bytes, `${id} ${version}`);
  const publicKey = Buffer.from(file.public_key, 'base64');
  const endorsements = await registry.keys.endorsementsOf(row.organization_id, publicKey);
  const blob = await registry.packages.open(file.sha256, file.bytes, offset).catch((thrown: unknown) => {
    throw withAdvice(thrown, id);
  });
  try {
    const description = {
      bytes: BigInt(file.bytes),
      sha256: Buffer.from(file.sha256, 'hex'),
      signature: Buffer.from(file.signature, 'base64'),
      publicKey,
      signedBy: file.signed_by,
      endorsements,
      statement: Buffer.from(file.statement, 'base64'),
    };
    yield { part: { $case: 'description', value: description } };
    for await (const value of blob) yield { part: { $case: 'bytes', value } };
  } finally {
    blob.close();
  }
}

/**
 * The same for a package other than a module. Such packages are not signed.
 * @throws {ArmatureError} `call.not_found`, `call.bad_argument`, `store.corrupt`, `store.unavailable`
 */
export async function* downloadOther(
  packages: Packages,
  wanted: PackageName & { readonly version: string },
  offset: number,
): AsyncGenerator<DownloadResponse> {
  const found = await packages.get(wanted);
  checkOffset(offset, found.bytes, `${wanted.name} ${wanted.version}`);
  const blob = await packages.open(found, offset);
  try {
    const description = {
      bytes: BigInt(found.bytes),
      sha256: Buffer.from(found.sha256, 'hex'),
      signature: Buffer.alloc(0),
      publicKey: Buffer.alloc(0),
      signedBy: '',
      endorsements: [],
      statement: Buffer.alloc(0),
    };
    yield { part: { $case: 'description', value: description } };
    for await (const value of blob) yield { part: { $case: 'bytes', value } };
  } finally {
    blob.close();
  }
}

function checkOffset(offset: number, bytes: number, what: string): void {
  if (offset <= bytes) return;
  throw new ArmatureError('call.bad_argument', `The offset ${offset} is beyond the ${bytes} bytes of ${what}.`);
}

/** Adds advice for a lost package: it can be published again, but only as another version. */
function withAdvice(thrown: unknown, id: string): unknown {
  if (!(thrown instanceof ArmatureError) || thrown.code !== 'store.corrupt') return thrown;
  const message = `${thrown.message} Or publish ${id} again as another version.`;
  return new ArmatureError(thrown.code, message, { cause: thrown });
}
