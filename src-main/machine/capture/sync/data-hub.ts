import {
  DataSyncServiceDefinition,
  DataType,
  type DataCaptureUploadRequest,
  type FileUploadRequest,
  type StreamingDataCaptureUploadRequest,
  type UploadMetadata,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { HubConnection } from '../../outbox/delivery.ts';
import type { RequestOf, ResponseOf, ServiceDefinition } from '../../../rpc/service.ts';
import { extensionOf, mimeTypeOf } from './image-type.ts';
import { chunksOf, MAX_BYTES, sensorContents, type Upload } from './uploads.ts';

/** The hub, as a target for data. */
export interface DataHub extends HubConnection {
  /** Id of this part; '' while it is unknown. */
  readonly partId: string;
  call<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    request: RequestOf<D['methods'][K]>,
    timeoutMs?: number,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<ResponseOf<D['methods'][K]>>;
  send<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
    service: D,
    method: K,
    requests: () => AsyncIterable<RequestOf<D['methods'][K]>> | Iterable<RequestOf<D['methods'][K]>>,
    timeoutMs: number,
    metadata?: Readonly<Record<string, string>>,
  ): Promise<ResponseOf<D['methods'][K]>>;
}

/** Name of the metadata by which a hub recognizes an upload that it already has. */
const UPLOAD_ID = 'upload-id';
const CALL_MS = 30_000;
/** Time limit for data that is sent in parts, for slow networks. */
const LONG_CALL_MS = 600_000;

/**
 * Sends one upload.
 * @throws {ArmatureError} `hub.unreachable`, or the hub's error
 */
export async function sendUpload(hub: DataHub, upload: Upload): Promise<void> {
  const contents = sensorContents(upload);
  const [first] = contents;
  const bytes = first?.data?.$case === 'binary' ? first.data.value : undefined;
  const metadata: UploadMetadata = {
    ...upload.metadata,
    partId: hub.partId,
    ...(bytes !== undefined && upload.metadata.type === DataType.BINARY_SENSOR ? typeOf(upload.metadata, bytes) : {}),
  };
  const id = { [UPLOAD_ID]: upload.id };
  if (bytes === undefined || bytes.length <= MAX_BYTES) {
    const request: DataCaptureUploadRequest = { metadata, sensorContents: contents };
    await hub.call(DataSyncServiceDefinition, 'dataCaptureUpload', request, CALL_MS, id);
    return;
  }
  const requests = function* (): Generator<StreamingDataCaptureUploadRequest> {
    const value = { uploadMetadata: metadata, sensorMetadata: first?.metadata };
    yield { uploadPacket: { $case: 'metadata', value } };
    for (const part of chunksOf(bytes)) yield { uploadPacket: { $case: 'data', value: part } };
  };
  await hub.send(DataSyncServiceDefinition, 'streamingDataCaptureUpload', requests, LONG_CALL_MS, id);
}

/**
 * Sends a file.
 * @throws {ArmatureError} `hub.unreachable`, the hub's error, and errors of `content`
 */
export async function sendFile(
  hub: DataHub,
  metadata: UploadMetadata,
  content: () => AsyncIterable<Uint8Array>,
  uploadId: string,
): Promise<void> {
  const requests = async function* (): AsyncGenerator<FileUploadRequest> {
    yield { uploadPacket: { $case: 'metadata', value: { ...metadata, partId: hub.partId } } };
    for await (const chunk of content()) {
      for (const data of chunksOf(chunk)) yield { uploadPacket: { $case: 'fileContents', value: { data } } };
    }
  };
  await hub.send(DataSyncServiceDefinition, 'fileUpload', requests, LONG_CALL_MS, { [UPLOAD_ID]: uploadId });
}

/** The type of binary data, if its producer did not state it. */
function typeOf({ mimeType, fileExtension }: UploadMetadata, bytes: Uint8Array) {
  return {
    mimeType: mimeType === '' ? mimeTypeOf(bytes) : mimeType,
    fileExtension: fileExtension === '' ? extensionOf(bytes) : fileExtension,
  };
}
