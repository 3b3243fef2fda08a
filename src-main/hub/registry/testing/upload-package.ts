import { gzipSync } from 'node:zlib';
import {
  CreatePackageRequest,
  PackageServiceDefinition,
  PackageType,
  type PackageInfo,
} from '../../../../proto/gen/core/app/packages/v1/packages.ts';
import {
  ModelServiceDefinition,
  UploadModelRequest,
  type ModelUpload,
} from '../../../../proto/gen/core/hub/v1/models.ts';
import { encodeMessage, type MessageType } from '../../../../proto/message.ts';
import { makeTar, type MadeEntry } from '../../../base/tar/testing/make-tar.ts';
import { startCall, type RecordedCall } from '../../../rpc/testing/local-caller.ts';
import { CallFailure, connectionFrom, type TestHub } from '../../testing/test-hub.ts';

/** Chunk size of public tools. */
const CHUNK_BYTES = 32 * 1024;

/** A gzipped tar archive of these entries. */
export function archiveOf(entries: readonly MadeEntry[]): Buffer {
  return gzipSync(makeTar(entries));
}

/** The beginning of an ONNX file, followed by a number of bytes. */
export function onnxFile(bytes = 64): Buffer {
  return Buffer.concat([Buffer.from([0x08, 0x08, 0x12, 0x05]), Buffer.from('bench'), Buffer.alloc(bytes, 7)]);
}

/** Begins an upload of a package and sends its description. */
export function startPackage(test: TestHub, token: string, info: Partial<PackageInfo>): RecordedCall {
  const whole = {
    organizationId: test.first.organizationId,
    name: 'parts',
    version: '1.0.0',
    type: PackageType.ML_MODEL,
    files: [],
    metadata: undefined,
    platform: undefined,
    ...info,
  };
  const call = begin(test, token, `/${PackageServiceDefinition.fullName}/CreatePackage`);
  void sendTo(call, CreatePackageRequest, { package: { $case: 'info', value: whole } });
  return call;
}

/** Uploads a package as public tools do. Rejects with a {@link CallFailure}. */
export async function uploadPackage(
  test: TestHub,
  token: string,
  info: Partial<PackageInfo>,
  bytes: Uint8Array,
): Promise<void> {
  const call = startPackage(test, token, info);
  for (const value of cut(bytes, call))
    await sendTo(call, CreatePackageRequest, { package: { $case: 'contents', value } });
  await endOf(call);
}

/** Uploads a model file as the window does. Rejects with a {@link CallFailure}. */
export async function uploadModel(
  test: TestHub,
  token: string,
  model: Partial<ModelUpload>,
  file: Uint8Array,
): Promise<void> {
  const whole = {
    organizationId: test.first.organizationId,
    name: 'parts',
    version: '1.0.0',
    modelType: '',
    framework: '',
    labels: [],
    bytes: BigInt(file.length),
    ...model,
  };
  const call = begin(test, token, `/${ModelServiceDefinition.fullName}/Upload`);
  await sendTo(call, UploadModelRequest, { part: { $case: 'model', value: whole } });
  for (const value of cut(file, call)) await sendTo(call, UploadModelRequest, { part: { $case: 'bytes', value } });
  await endOf(call);
}

function begin(test: TestHub, token: string, path: string): RecordedCall {
  const metadata = { authorization: `Bearer ${token}` };
  return startCall(test.router, path, { connection: connectionFrom('127.0.0.1'), metadata });
}

function sendTo<M>(call: RecordedCall, type: MessageType<M>, request: M): Promise<void> | undefined {
  return call.sink.message(encodeMessage(type, request));
}

function* cut(bytes: Uint8Array, call: RecordedCall): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length && call.status === undefined; at += CHUNK_BYTES)
    yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function endOf(call: RecordedCall): Promise<void> {
  call.sink.halfClose();
  const { code, message } = await call.ended;
  if (code !== 0) throw new CallFailure(code, message);
}
