import { generateKeyPairSync, createHash, type KeyObject } from 'node:crypto';
import {
  AppServiceDefinition,
  UploadModuleFileRequest,
  type ModuleFileInfo,
} from '../../../../proto/gen/core/app/v1/app.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { startCall, type RecordedCall } from '../../../rpc/testing/local-caller.ts';
import { CallFailure, connectionFrom, type TestHub } from '../../testing/test-hub.ts';
import { rawPublicKey, signWith, statementOf } from '../../../base/ed25519.ts';
import { KEY_HEADER, SIGNATURE_HEADER } from '../packages/package-signing.ts';

/** Chunk size of public tools. */
const CHUNK_BYTES = 32 * 1024;

export type Info = Partial<ModuleFileInfo> & Pick<ModuleFileInfo, 'version'>;

function wholeInfo(info: Info): ModuleFileInfo {
  return { moduleId: 'acme:motors', platform: 'linux/any', platformTags: [], ...info };
}

/** Begins an upload and sends its description. */
export function startUpload(
  test: TestHub,
  token: string,
  info: Info,
  headers: Record<string, string> = {},
): RecordedCall {
  const call = startCall(test.router, `/${AppServiceDefinition.fullName}/UploadModuleFile`, {
    connection: connectionFrom('127.0.0.1'),
    metadata: { authorization: `Bearer ${token}`, ...headers },
  });
  void send(call, { moduleFile: { $case: 'moduleFileInfo', value: wholeInfo(info) } });
  return call;
}

export function send(call: RecordedCall, request: UploadModuleFileRequest): Promise<void> | undefined {
  return call.sink.message(encodeMessage(UploadModuleFileRequest, request));
}

/** Sends bytes as a client does, with back-pressure. */
export async function sendFile(call: RecordedCall, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && call.status === undefined; at += CHUNK_BYTES) {
    await send(call, { moduleFile: { $case: 'file', value: bytes.subarray(at, at + CHUNK_BYTES) } });
  }
}

/** Uploads a package. Rejects with a {@link CallFailure}. */
export async function publish(
  test: TestHub,
  token: string,
  info: Info,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<void> {
  const call = startUpload(test, token, info, headers);
  await sendFile(call, bytes);
  call.sink.halfClose();
  const { code, message } = await call.ended;
  if (code !== 0) throw new CallFailure(code, message);
}

/** A publisher's key. */
export class TestKey {
  readonly key: KeyObject = generateKeyPairSync('ed25519').privateKey;
  readonly publicKey = rawPublicKey(this.key);

  sign(message: Uint8Array): Buffer {
    return signWith(this.key, message);
  }

  /** Metadata of an upload that this key signs. */
  headers(info: Info, bytes: Uint8Array): Record<string, string> {
    const sha256 = createHash('sha256').update(bytes).digest();
    const { moduleId, version, platform } = wholeInfo(info);
    const signature = this.sign(statementOf({ moduleId, version, platform, sha256 }));
    return { [SIGNATURE_HEADER]: signature.toString('base64'), [KEY_HEADER]: this.publicKey.toString('base64') };
  }
}
