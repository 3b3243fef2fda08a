import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  AppServiceDefinition,
  UploadModuleFileRequest,
  UploadModuleFileResponse,
} from '../../proto/gen/core/app/v1/app.ts';
import { moduleProgram, type ModuleKind } from '../interop/modules/programs.ts';
import type { Fleet } from './joined-machine.ts';
import { methodPath } from './grpc-client.ts';

const run = promisify(execFile);
/** As the public command line does it. */
const CHUNK_BYTES = 32 * 1024;

/**
 * A package of one of the tests' programs: `meta.json` and what it names, as a .tar.gz.
 * @param first what its launcher does before anything else: `exit 7`
 */
export async function modulePackage(
  kind: ModuleKind,
  moduleId: string,
  version: string,
  first = 'true',
): Promise<Buffer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'armature-package-'));
  try {
    const source = path.join(folder, 'module');
    await moduleProgram(kind, source, moduleId);
    const meta = path.join(source, 'meta.json');
    const described = (await readFile(meta, 'utf8')).replaceAll(/acme:(bare|pysdk|pygrpc)\b/g, moduleId);
    await writeFile(meta, described);
    // The program finds its other files beside it, wherever it is unpacked, and says which version it is.
    const launcher = path.join(source, 'run.sh');
    const text = (await readFile(launcher, 'utf8')).replaceAll(`'${source}/`, `"$(dirname "$0")"'/`);
    await writeFile(launcher, text.replace('\n', `\necho "INFO this is version ${version}"\n${first}\n`));
    const archive = path.join(folder, 'module.tar.gz');
    await run('tar', ['-czf', archive, '-C', source, '.']);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Uploads a package as `armature module upload` and the public command line do: what it is, then its bytes. */
export function uploadModule(
  fleet: Fleet,
  file: { readonly moduleId: string; readonly version: string; readonly platform: string },
  bytes: Buffer,
): Promise<void> {
  const trusted = fleet.hub.url.startsWith('https:') ? credentials.createSsl(Buffer.from(fleet.authority)) : undefined;
  const client = new Client(fleet.hub.url.replace(/^https?:\/\//, ''), trusted ?? credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${fleet.owner.token}`);
  const encode = (message: UploadModuleFileRequest): Buffer =>
    Buffer.from(UploadModuleFileRequest.encode(message).finish());
  return new Promise<void>((resolve, reject) => {
    const stream = client.makeClientStreamRequest(
      methodPath(AppServiceDefinition, 'uploadModuleFile'),
      encode,
      (answer: Buffer) => UploadModuleFileResponse.decode(answer),
      metadata,
      (error) => (error === null ? resolve() : reject(error)),
    );
    stream.write({ moduleFile: { $case: 'moduleFileInfo', value: { ...file, platformTags: [] } } });
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      stream.write({ moduleFile: { $case: 'file', value: bytes.subarray(at, at + CHUNK_BYTES) } });
    }
    stream.end();
  }).finally(() => client.close());
}
