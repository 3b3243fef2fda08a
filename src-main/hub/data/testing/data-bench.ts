import {
  DataServiceDefinition,
  ExportTabularDataResponse,
  type ExportTabularDataRequest,
} from '../../../../proto/gen/core/app/data/v1/data.ts';
import {
  DataCaptureUploadResponse,
  DataSyncServiceDefinition,
  DataType,
  FileUploadRequest,
  type DataCaptureUploadRequest,
  type SensorData,
  type UploadMetadata,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import type { Clock } from '../../../base/clock.ts';
import { aliasPath } from '../../../base/dialect.ts';
import type { RequestOf, ResponseOf } from '../../../rpc/service.ts';
import { callOnce, startCall, type RecordedCall } from '../../../rpc/testing/local-caller.ts';
import type { TestStoreKind, TestPlace } from '../../storage/testing/test-stores.ts';
import { CallFailure, connectionFrom, TestHub, type AppCall } from '../../testing/test-hub.ts';
import type { UploadLimits } from '../../blobs/blob-uploads.ts';
import { UPLOAD_ID_HEADER } from '../uploads/upload-calls.ts';

type DataMethods = (typeof DataServiceDefinition)['methods'];

const sync = `/${DataSyncServiceDefinition.fullName}`;

/** Metadata of an upload, with defaults. */
export function uploadMetadata(partId: string, more: Partial<UploadMetadata> = {}): UploadMetadata {
  return {
    partId,
    componentType: 'core:component:sensor',
    componentName: 'temperature',
    methodName: 'Readings',
    type: DataType.TABULAR_SENSOR,
    fileName: '',
    methodParameters: {},
    fileExtension: '',
    tags: [],
    datasetIds: [],
    mimeType: '',
    ...more,
  };
}

/** A reading whose two times are the same. */
export function reading(atMs: number, value: Record<string, unknown>): SensorData {
  const time = new Date(atMs);
  return {
    metadata: { timeRequested: time, timeReceived: time, mimeType: 0 },
    data: { $case: 'struct', value: { readings: value } },
  };
}

/** A picture whose two times are the same. */
export function picture(atMs: number, bytes: Uint8Array): SensorData {
  const time = new Date(atMs);
  return {
    metadata: { timeRequested: time, timeReceived: time, mimeType: 0 },
    data: { $case: 'binary', value: bytes },
  };
}

/** Metadata for uploads of pictures of a camera. */
export const camera = {
  type: DataType.BINARY_SENSOR,
  componentType: 'core:component:camera',
  componentName: 'front',
  methodName: 'ReadImage',
  mimeType: 'image/jpeg',
  fileExtension: '.jpg',
} as const;

/** A hub with a part that uploads, and with callers that read. */
export class DataBench {
  test!: TestHub;
  owner!: AppCall;
  ownerToken = '';
  partToken = '';
  partId = '';

  static async open(
    kind: TestStoreKind,
    clock: Clock,
    dataLimits?: UploadLimits,
    more: Parameters<typeof TestHub.open>[3] = {},
  ): Promise<DataBench> {
    const bench = new DataBench();
    const options = dataLimits === undefined ? more : { ...more, dataLimits };
    bench.test = await TestHub.open(kind, clock, undefined, options);
    bench.owner = await bench.test.asOwner();
    const { parts } = await bench.owner('getRobotParts', { robotId: bench.test.first.machineId });
    bench.partId = parts[0]?.id ?? '';
    const { part } = await bench.owner('createRobotPartSecret', { partId: bench.partId });
    const secret = part?.secrets.at(-1)?.secret ?? '';
    bench.ownerToken = await bench.test.logIn(bench.test.first.ownerKey);
    bench.partToken = await bench.test.logIn({ id: bench.partId, secret, type: 'robot-secret' });
    return bench;
  }

  /** Closes the hub and opens another with the same store; tokens stay valid. */
  async restart(kind: TestStoreKind, clock: Clock, more: Parameters<typeof TestHub.open>[3] = {}): Promise<void> {
    const place: TestPlace = this.test.place;
    await this.test.close();
    this.test = await TestHub.open(kind, clock, place, more);
  }

  /** Token of a new API key with one role. */
  async tokenFor(authorizationId: string, resourceId: string): Promise<string> {
    const resourceType = authorizationId.split('_')[0] ?? '';
    const rest = { identityId: '', organizationId: '', identityType: '', authorizationType: 'role' };
    const authorizations = [{ authorizationId, resourceId, resourceType, ...rest }];
    const { id, key } = await this.owner('createKey', { name: 'k', authorizations });
    return this.test.logIn({ id, secret: key });
  }

  /** Calls `DataService`; rejects with a {@link CallFailure}. */
  data<K extends keyof DataMethods>(
    method: K,
    request: Partial<RequestOf<DataMethods[K]>>,
    token = this.ownerToken,
  ): Promise<ResponseOf<DataMethods[K]>> {
    return this.test.call(DataServiceDefinition, method, request, { token });
  }

  /** Readings of the sensor `temperature`, or those of another request. */
  async export(
    request: Partial<ExportTabularDataRequest> = {},
    token = this.ownerToken,
  ): Promise<ExportTabularDataResponse[]> {
    const usual = { partId: this.partId, resourceName: 'temperature', methodName: 'Readings' };
    const whole = { ...usual, ...request };
    const call = this.test.start(DataServiceDefinition, 'exportTabularData', whole, { token });
    const { code, message } = await call.ended;
    if (code !== 0) throw new CallFailure(code, message);
    return call.messages.map((bytes) => ExportTabularDataResponse.decode(bytes));
  }

  /** Uploads readings, or one picture. @returns its id */
  async upload(
    sensorContents: readonly SensorData[],
    more: Partial<UploadMetadata> = {},
    options: UploadOptions = {},
  ): Promise<string> {
    const metadata = uploadMetadata(this.partId, more);
    const request: DataCaptureUploadRequest = { metadata, sensorContents: [...sensorContents] };
    const { requestType } = DataSyncServiceDefinition.methods.dataCaptureUpload;
    const bytes = encodeMessage(requestType, request);
    const path = options.dialect === 'viam' ? aliasPath(`${sync}/DataCaptureUpload`) : `${sync}/DataCaptureUpload`;
    return idIn(callOnce(this.test.router, path, bytes, this.#callOptions(options)));
  }

  /** Begins a FileUpload by sending its metadata. */
  startFile(more: Partial<UploadMetadata> = {}, options: UploadOptions = {}): RecordedCall {
    const call = startCall(this.test.router, `${sync}/FileUpload`, this.#callOptions(options));
    const metadata = uploadMetadata(this.partId, {
      ...{ type: DataType.FILE, componentName: '', componentType: '', methodName: '' },
      ...more,
    });
    void call.sink.message(encodeMessage(FileUploadRequest, { uploadPacket: { $case: 'metadata', value: metadata } }));
    return call;
  }

  /** Uploads a file in pieces, as clients do. @returns its id */
  async uploadFile(
    bytes: Uint8Array,
    more: Partial<UploadMetadata> = {},
    options: UploadOptions = {},
  ): Promise<string> {
    const call = this.startFile(more, options);
    await sendFile(call, bytes);
    call.sink.halfClose();
    return idIn(call);
  }

  #callOptions({ uploadId, token = this.partToken }: UploadOptions) {
    const headers: Record<string, string> = uploadId === undefined ? {} : { [UPLOAD_ID_HEADER]: uploadId };
    const metadata = { authorization: `Bearer ${token}`, ...headers };
    return { connection: connectionFrom('127.0.0.1'), metadata };
  }
}

export interface UploadOptions {
  readonly uploadId?: string;
  readonly token?: string;
  readonly dialect?: 'core' | 'viam';
}

/** Sends bytes in chunks, with flow control. */
export async function sendFile(call: RecordedCall, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && call.status === undefined; at += 64 * 1024) {
    const value = { data: bytes.subarray(at, at + 64 * 1024) };
    const packet = encodeMessage(FileUploadRequest, { uploadPacket: { $case: 'fileContents', value } });
    await call.sink.message(packet);
  }
}

/** Waits for the answer to an upload. @returns the id in it */
export async function idIn(call: RecordedCall): Promise<string> {
  const { code, message } = await call.ended;
  if (code !== 0) throw new CallFailure(code, message);
  const { fileId, binaryDataId } = DataCaptureUploadResponse.decode(call.messages[0] as Uint8Array);
  if (fileId !== binaryDataId) throw new Error(`one upload has the ids ${fileId} and ${binaryDataId}`);
  return fileId;
}
