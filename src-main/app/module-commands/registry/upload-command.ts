import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isVersion } from '../../../../proto/config/module-versions.ts';
import { AppServiceDefinition, UploadModuleFileRequest, Visibility } from '../../../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition } from '../../../../proto/gen/core/hub/v1/registry.ts';
import { StatusCode } from '../../../base/status.ts';
import { statementOf } from '../../../base/ed25519.ts';
import { KEY_HEADER, SIGNATURE_HEADER } from '../../../hub/registry/packages/package-signing.ts';
import { homeFolder } from '../../home.ts';
import { buildModule, sha256Of } from '../build-command.ts';
import { badArgument, needed, readCommandLine, type ModuleIo } from '../module-io.ts';
import { organizationOf } from './organization.ts';
import { checkPlatform } from '../platform.ts';
import { PublisherKey } from './publisher-key.ts';
import { hubOptions, withHub, type RemoteCaller } from './remote-caller.ts';
import { fileInPieces, sendAll } from './send-all.ts';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { LARGEST_META_BYTES, META_FILE } from '../../../../proto/config/module-meta.ts';
import { ArmatureError, toArmatureError } from '../../../base/errors.ts';
import { type ModuleMeta, parseMeta } from '../module-meta.ts';

interface Upload {
  readonly meta: ModuleMeta;
  readonly archive: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  readonly version: string;
  readonly platform: string;
  readonly platformTags: string[];
}

/** `armature module upload`: publishes a package, signed where this computer has a key. Doing it again changes nothing. */
export async function uploadCommand(args: readonly string[], io: ModuleIo): Promise<number> {
  const options = { ...hubOptions, version: 'string', platform: 'string', tag: 'string', json: 'boolean' } as const;
  const line = readCommandLine(args, options, 1);
  const version = needed(line.text('version'), '--version');
  if (!isVersion(version))
    throw badArgument(`--version is "${version}"; write MAJOR.MINOR.PATCH, as 1.2.3 or 1.3.0-rc.1.`);
  const platform = line.text('platform') ?? 'any';
  checkPlatform(platform);
  const platformTags = (line.text('tag') ?? '').split(',').filter((tag) => tag !== '');
  const upload = {
    ...(await packageOf(line.positionals[0], line.text('platform'), io)),
    version,
    platform,
    platformTags,
  };
  const key = await PublisherKey.load(homeFolder(io.env));
  await withHub(line, io, async (hub) => {
    await announce(hub, upload.meta, line.text('organization'));
    const isNew = await publish(hub, upload, key, io);
    const told = {
      module_id: upload.meta.moduleId,
      version,
      platform,
      sha256: upload.sha256,
      signed_by: key?.id ?? null,
    };
    if (line.flag('json')) io.stdout(`${JSON.stringify({ ...told, is_new: isNew }, null, 2)}\n`);
    else io.stdout(`${isNew ? 'published' : 'was published already:'} ${told.module_id} ${version} for ${platform}\n`);
  });
  return 0;
}

/** The archive that is named, else one that is built now. */
async function packageOf(
  named: string | undefined,
  platform: string | undefined,
  io: ModuleIo,
): Promise<Pick<Upload, 'meta' | 'archive' | 'bytes' | 'sha256'>> {
  if (named === undefined) return buildModule(io.cwd, platform, io);
  const archive = path.resolve(io.cwd, named);
  const meta = await metaInArchive(archive);
  return { meta, archive, bytes: (await stat(archive)).size, sha256: await sha256Of(archive) };
}

/** Registers the module if it is new, and sends the hub the contents of meta.json. */
async function announce(hub: RemoteCaller, meta: ModuleMeta, organization: string | undefined): Promise<void> {
  const { moduleId } = meta;
  if (!(await isKnown(hub, moduleId))) {
    const { id, name, namespace } = await organizationOf(hub, organization, meta.namespace);
    if (namespace !== meta.namespace && id !== meta.namespace) {
      throw badArgument(
        `${meta.file}: module_id is "${moduleId}", but modules of ${name} begin with ${namespace}. Write "${namespace}:${meta.name}" there, and in the models.`,
      );
    }
    await hub.call(AppServiceDefinition, 'createModule', { organizationId: id, name: meta.name });
  }
  await hub.call(AppServiceDefinition, 'updateModule', {
    moduleId,
    visibility: visibilities[meta.visibility],
    url: meta.url,
    description: meta.description,
    models: meta.models.map(({ api, model, description }) => ({
      api,
      model,
      description,
      markdownDocumentation: undefined,
      supportedHardware: [],
    })),
    entrypoint: meta.entrypoint,
    firstRun: meta.firstRun,
    apps: [],
    markdownDescription: undefined,
  });
}

const visibilities = {
  private: Visibility.PRIVATE,
  public: Visibility.PUBLIC,
  public_unlisted: Visibility.PUBLIC_UNLISTED,
} as const;

async function isKnown(hub: RemoteCaller, moduleId: string): Promise<boolean> {
  try {
    await hub.call(AppServiceDefinition, 'getModule', { moduleId, includeMarkdownDocumentation: undefined });
    return true;
  } catch (thrown) {
    if (thrown instanceof ArmatureError && thrown.info.status === StatusCode.NOT_FOUND) return false;
    throw thrown;
  }
}

/** @returns false where the same bytes were uploaded already: an upload whose answer was lost has not failed */
async function publish(
  hub: RemoteCaller,
  upload: Upload,
  key: PublisherKey | undefined,
  io: ModuleIo,
): Promise<boolean> {
  try {
    await send(hub, upload, key === undefined ? {} : signatureOf(upload, key), io);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof ArmatureError)) throw thrown;
    if (thrown.code === 'registry.version_exists' && (await isPublished(hub, upload))) return false;
    if (thrown.code === 'registry.bad_signature') throw unaccepted(thrown, key);
    throw thrown;
  }
}

function signatureOf({ meta, version, platform, sha256 }: Upload, key: PublisherKey): Record<string, string> {
  const { moduleId } = meta;
  const signature = key.sign(statementOf({ moduleId, version, platform, sha256: Buffer.from(sha256, 'hex') }));
  return { [SIGNATURE_HEADER]: signature.toString('base64'), [KEY_HEADER]: key.publicKey.toString('base64') };
}

function unaccepted(error: ArmatureError, key: PublisherKey | undefined): ArmatureError {
  const next =
    key === undefined
      ? '"armature module key create", then "armature module key register"'
      : '"armature module key register"';
  return new ArmatureError(error.code, `${error.message} Run ${next} with the key of an owner.`, { cause: error });
}

async function isPublished(hub: RemoteCaller, { meta, version, platform, sha256 }: Upload): Promise<boolean> {
  const { versions } = await hub.call(RegistryServiceDefinition, 'describe', { moduleId: meta.moduleId });
  const files = versions.find((one) => one.version === version)?.files ?? [];
  return files.some((file) => file.platform === platform && file.sha256 === sha256);
}

/** Sends the package, waiting where the hub is slower than the disk. */
async function send(
  hub: RemoteCaller,
  { meta, archive, bytes, version, platform, platformTags }: Upload,
  metadata: Readonly<Record<string, string>>,
  io: ModuleIo,
): Promise<void> {
  const info = { moduleId: meta.moduleId, version, platform, platformTags };
  async function* requests(): AsyncGenerator<UploadModuleFileRequest> {
    yield { moduleFile: { $case: 'moduleFileInfo', value: info } };
    for await (const value of fileInPieces(archive, bytes, io)) yield { moduleFile: { $case: 'file', value } };
  }
  await sendAll(
    hub,
    `/${AppServiceDefinition.fullName}/UploadModuleFile`,
    UploadModuleFileRequest,
    requests(),
    metadata,
  );
}

/** `meta.json` of a package. @throws {ArmatureError} `file.unreadable`, `config.invalid` */
async function metaInArchive(archive: string): Promise<ModuleMeta> {
  let text: string | undefined;
  const tar = extract();
  tar.on('entry', ({ name }, entry, next) => {
    const isMeta = name.replace(/^\.\//, '') === META_FILE;
    let bytes = Buffer.alloc(0);
    entry.on('data', (chunk) => {
      if (isMeta && bytes.length < LARGEST_META_BYTES) bytes = Buffer.concat([bytes, chunk as Buffer]);
    });
    entry.once('end', () => {
      if (isMeta) text = bytes.toString('utf8');
      next();
    });
    entry.resume();
  });
  try {
    await pipeline(createReadStream(archive), createGunzip(), tar);
  } catch (cause) {
    throw new ArmatureError(
      'file.unreadable',
      `${archive} is no package that can be read (${toArmatureError(cause).message}); "armature module build" makes one.`,
      { cause },
    );
  }
  if (text === undefined) throw new ArmatureError('config.invalid', `${archive} has no ${META_FILE} at its top.`);
  return parseMeta(text, `${archive}, ${META_FILE}`);
}
