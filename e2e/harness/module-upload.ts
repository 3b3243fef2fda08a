import {
  AppServiceDefinition,
  type UploadModuleFileRequest,
  type UploadModuleFileResponse,
} from '../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition } from '../../proto/gen/core/hub/v1/registry.ts';
import type { Sending } from './grpc-client.ts';
import type { HubClient } from './hub-process.ts';

/** Size of the chunks that public tools send. */
const CHUNK_BYTES = 32 * 1024;

/** What an upload names: module, version and platform. */
export interface UploadedFile {
  readonly moduleId: string;
  readonly version: string;
  readonly platform: string;
}

/** The client of an upload. Beside a machine, the owner of the computer needs no token. */
type Uploader = Pick<HubClient, 'grpc' | 'token'>;

const motors = (version: string): UploadedFile => ({ moduleId: 'acme:motors', version, platform: 'linux/any' });

/** Begins an upload of `acme:motors` for `linux/any`. */
export function beginUpload(
  client: HubClient,
  version: string,
): Sending<UploadModuleFileRequest, UploadModuleFileResponse> {
  return begin(client, motors(version));
}

function begin(client: Uploader, file: UploadedFile): Sending<UploadModuleFileRequest, UploadModuleFileResponse> {
  const headers = headersOf(client);
  const sending = client.grpc.sending(AppServiceDefinition, 'uploadModuleFile', { headers });
  void sending.write({ moduleFile: { $case: 'moduleFileInfo', value: { ...file, platformTags: [] } } });
  return sending;
}

export async function sendBytes(
  sending: Sending<UploadModuleFileRequest, UploadModuleFileResponse>,
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await sending.write({ moduleFile: { $case: 'file', value: bytes.subarray(at, at + CHUNK_BYTES) } });
  }
}

/** Uploads a version of `acme:motors` for `linux/any`. Rejects as {@link uploadModule} does. */
export function upload(client: HubClient, version: string, bytes: Uint8Array): Promise<void> {
  return uploadModule(client, motors(version), bytes);
}

/** Uploads a whole package, as public tools do. Rejects with the ServiceError of grpc-js. */
export async function uploadModule(client: Uploader, file: UploadedFile, bytes: Uint8Array): Promise<void> {
  const sending = begin(client, file);
  await Promise.race([sendBytes(sending, bytes), sending.answer]);
  await sending.end();
}

/** Creates the namespace `acme` and the module `acme:motors` in a new hub. */
export async function createMotors(client: HubClient, organizationId: string): Promise<void> {
  await client.call('updateOrganizationNamespace', { organizationId, newPublicNamespace: 'acme' });
  await client.call('createModule', { organizationId, name: 'motors' });
}

/** Versions of `acme:motors`, newest first. */
export async function publishedVersions(client: HubClient): Promise<string[]> {
  const headers = headersOf(client);
  const request = { moduleId: 'acme:motors' };
  const { versions } = await client.grpc.call(RegistryServiceDefinition, 'describe', request, { headers });
  return versions.map(({ version }) => version);
}

/** Bytes of a package of `acme:motors` from an offset on. Rejects with the ServiceError of grpc-js. */
export async function download(client: HubClient, version: string, offset = 0): Promise<Buffer> {
  const headers = headersOf(client);
  const request = { moduleId: 'acme:motors', version, platform: 'linux/any', offset: BigInt(offset), type: '' };
  const pieces: Uint8Array[] = [];
  for await (const message of client.grpc.stream(RegistryServiceDefinition, 'download', request, { headers })) {
    const { part } = message as { part?: { $case: string; value: unknown } };
    if (part?.$case === 'bytes') pieces.push(part.value as Uint8Array);
  }
  return Buffer.concat(pieces);
}

function headersOf({ token }: Uploader): Record<string, string> {
  return token === '' ? {} : { authorization: `Bearer ${token}` };
}
