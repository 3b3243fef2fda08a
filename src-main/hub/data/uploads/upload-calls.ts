import type {
  DataSyncServiceDefinition,
  FileUploadRequest,
  SensorData,
  SensorMetadata,
  StreamingDataCaptureUploadRequest,
} from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { Clock } from '../../../base/clock.ts';
import { ArmatureError } from '../../../base/errors.ts';
import type { ServerCall } from '../../../rpc/call.ts';
import { firstValue } from '../../../rpc/metadata.ts';
import type { Caller } from '../../access/caller.ts';
import type { HubHandlers } from '../../access/guarded.ts';
import type { BlobUploads } from '../../blobs/blob-uploads.ts';
import { membershipOf } from '../../places/membership.ts';
import type { Store } from '../../storage/store.ts';
import { labelsOf } from '../binary/binary-labels.ts';
import type { CapturedData, Origin } from '../captured-data.ts';
import type { NewReading } from './insert-readings.ts';
import { payloadText } from './payload.ts';
import { captureTimesOf, uploadInfoOf, type UploadInfo } from './upload-metadata.ts';

/** Header with the sender's id of an upload. With it, a sender may repeat the upload. */
export const UPLOAD_ID_HEADER = 'upload-id';
const UPLOAD_ID = /^[\x20-\x7e]{1,200}$/;
const MAX_READINGS = 100_000;

export interface UploadCallsOptions {
  readonly store: Store;
  readonly data: CapturedData;
  readonly uploads: BlobUploads;
  readonly clock: Clock;
}

/** An upload as a stream, after its first message with the metadata was read. */
interface StreamedUpload {
  readonly info: UploadInfo;
  readonly sensor: SensorMetadata | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** `core.app.datasync.v1.DataSyncService`: uploads of captured data, each stored as a whole and once. */
export function uploadCalls(options: UploadCallsOptions): HubHandlers<typeof DataSyncServiceDefinition> {
  const { store, data, uploads, clock } = options;

  /** Checks the caller. Returns the part that the upload belongs to, and the sender's id of it. */
  const authorize = async (
    info: UploadInfo,
    caller: Caller,
    call: ServerCall,
  ): Promise<{ origin: Origin; senderKey: string | undefined }> => {
    const place = await caller.require('data.write', { type: 'part', id: info.partId }, store.db);
    const { membership } = await membershipOf(store, info.partId, place);
    const { organizationId, locationId, machineId, machineName, partName } = membership;
    const origin = { organizationId, locationId, machineId, machineName, partId: info.partId, partName };
    return { origin, senderKey: senderKeyOf(call) };
  };

  /** Id of the earlier upload if this one is repeated; undefined for a new one, after its datasets were checked. */
  const earlierUpload = async (
    { partId, datasetIds }: UploadInfo,
    { organizationId }: Origin,
    senderKey: string | undefined,
  ): Promise<string | undefined> => {
    const earlier = senderKey === undefined ? undefined : await data.findUpload(partId, senderKey);
    if (earlier === undefined) await data.requireDatasets(datasetIds, organizationId);
    return earlier;
  };

  const receive = async ({ info, sensor, chunks }: StreamedUpload, caller: Caller, call: ServerCall) => {
    const { origin, senderKey } = await authorize(info, caller, call);
    const earlier = await earlierUpload(info, origin, senderKey);
    if (earlier !== undefined) return answerOf(earlier);
    const times = captureTimesOf(sensor, clock.now(), info);
    const binary = { info, origin, times, labels: labelsOf(sensor?.annotations), senderKey };
    const onIdle = (reason: ArmatureError): void => call.cancel(reason);
    return answerOf(await uploads.receive(chunks, onIdle, (draft, sha256) => data.storeBinary(binary, draft, sha256)));
  };

  return {
    async dataCaptureUpload({ metadata, sensorContents }, caller, call) {
      const about = sensorContents[0]?.metadata;
      const info = uploadInfoOf(metadata, about);
      const { origin, senderKey } = await authorize(info, caller, call);
      const content = contentOf(info, sensorContents);
      // Storing readings detects a repetition by itself; to check before would cost a query for each upload.
      const isSimple = content.$case === 'readings' && info.datasetIds.length === 0;
      const earlier = isSimple ? undefined : await earlierUpload(info, origin, senderKey);
      if (earlier !== undefined) return answerOf(earlier);
      if (content.$case === 'readings') {
        const readings = readingsOf(content.value, clock.now());
        return answerOf(await data.storeReadings(info, origin, readings, senderKey));
      }
      const times = captureTimesOf(about, clock.now(), info);
      const binary = { info, origin, times, labels: labelsOf(about?.annotations), senderKey };
      const draft = await data.blobs.begin();
      try {
        await draft.write(content.value);
        return answerOf(await data.storeBinary(binary, draft, await draft.finish()));
      } finally {
        await draft.close();
      }
    },

    async fileUpload(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const packet = (await messages.next()).value as FileUploadRequest | undefined;
      const part = packet?.uploadPacket;
      const info = uploadInfoOf(part?.$case === 'metadata' ? part.value : undefined);
      return receive({ info, sensor: undefined, chunks: fileChunks(messages) }, caller, call);
    },

    async streamingDataCaptureUpload(requests, caller, call) {
      const messages = requests[Symbol.asyncIterator]();
      const packet = (await messages.next()).value as StreamingDataCaptureUploadRequest | undefined;
      const part = packet?.uploadPacket;
      const begun = part?.$case === 'metadata' ? part.value : undefined;
      const sensor = begun?.sensorMetadata;
      const info = uploadInfoOf(begun?.uploadMetadata, sensor);
      return receive({ info, sensor, chunks: captureChunks(messages) }, caller, call);
    },
  };
}

/** Clients read one of the two ids. */
function answerOf(id: string): { fileId: string; binaryDataId: string } {
  return { fileId: id, binaryDataId: id };
}

function senderKeyOf(call: ServerCall): string | undefined {
  const id = firstValue(call.metadata, UPLOAD_ID_HEADER);
  if (id === undefined || UPLOAD_ID.test(id)) return id;
  throw new ArmatureError(
    'call.bad_argument',
    `The header ${UPLOAD_ID_HEADER} has ${id.length} characters; allowed are 1 to 200 of printable ASCII.`,
  );
}

type Content =
  | { readonly $case: 'readings'; readonly value: readonly SensorData[] }
  | { readonly $case: 'binary'; readonly value: Uint8Array };

/** The content of an upload: readings, or one piece of binary data. @throws {ArmatureError} `call.bad_argument` */
function contentOf({ type }: UploadInfo, contents: readonly SensorData[]): Content {
  const refuse = (why: string): ArmatureError => new ArmatureError('call.bad_argument', `The upload ${why}.`);
  const [first] = contents;
  if (first?.data === undefined) throw refuse('has no data: send at least one reading, or one piece of binary data');
  if (contents.some(({ data }) => data?.$case !== first.data?.$case)) {
    throw refuse('mixes kinds of data (readings, binary data, or none): send each kind in a call of its own');
  }
  if (first.data.$case === 'binary') {
    if (type === 'tabular') throw refuse('says that it is tabular, and has binary data: set its type');
    if (contents.length > 1) throw refuse(`has ${contents.length} pieces of binary data: send one in each call`);
    return { $case: 'binary', value: first.data.value };
  }
  if (type === 'binary' || type === 'file') throw refuse(`says that it is ${type}, and has readings: set its type`);
  if (contents.length > MAX_READINGS) {
    throw refuse(
      `has ${contents.length} readings; at most ${MAX_READINGS} are taken at once: send them in several calls`,
    );
  }
  return { $case: 'readings', value: contents };
}

function readingsOf(contents: readonly SensorData[], nowMs: number): NewReading[] {
  return contents.map(({ metadata, data }, index) => {
    const payload = data?.$case === 'struct' ? (data.value ?? {}) : {};
    return { ...captureTimesOf(metadata, nowMs), payload: payloadText(payload, `reading ${index + 1}`) };
  });
}

async function* fileChunks(messages: AsyncIterator<FileUploadRequest>): AsyncGenerator<Uint8Array> {
  for await (const { uploadPacket } of { [Symbol.asyncIterator]: () => messages }) {
    if (uploadPacket?.$case !== 'fileContents') throw notBytes('file_contents');
    yield uploadPacket.value.data;
  }
}

async function* captureChunks(messages: AsyncIterator<StreamingDataCaptureUploadRequest>): AsyncGenerator<Uint8Array> {
  for await (const { uploadPacket } of { [Symbol.asyncIterator]: () => messages }) {
    if (uploadPacket?.$case !== 'data') throw notBytes('data');
    yield uploadPacket.value;
  }
}

function notBytes(field: string): ArmatureError {
  return new ArmatureError(
    'call.bad_argument',
    `The upload has something other than "${field}" after its metadata: send that first, once.`,
  );
}
