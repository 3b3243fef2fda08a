/**
 * Readings as machines upload them: encoded before the measurement starts, so that the load costs less than what it
 * measures.
 */
import {
  DataCaptureUploadRequest,
  DataSyncServiceDefinition,
  DataType,
  type SensorData,
} from '../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { methodPath } from '../../harness/grpc-client.ts';
import type { HubClient } from '../../harness/hub-process.ts';

const UPLOAD_PATH = methodPath(DataSyncServiceDefinition, 'dataCaptureUpload');
const CALL_MS = 60_000;

/** One call of a machine's uploader. */
export interface Upload {
  /** The machine's id for it, so that a hub stores it only once. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The readings of an upload. */
export interface Readings {
  readonly partId: string;
  readonly componentName: string;
  /** Wall-clock milliseconds of the first; the others follow by a millisecond. */
  readonly at: number;
  readonly values: readonly Readonly<Record<string, unknown>>[];
}

/** The upload of some readings of a sensor. */
export function uploadOf(id: string, { partId, componentName, at, values }: Readings): Upload {
  const sensorContents = values.map((readings, index): SensorData => {
    const time = new Date(at + index);
    return {
      metadata: { timeRequested: time, timeReceived: time, mimeType: 0, annotations: undefined },
      data: { $case: 'struct', value: { readings } },
    };
  });
  const metadata = {
    ...{ partId, componentName, componentType: 'core:component:sensor', methodName: 'Readings' },
    ...{ type: DataType.TABULAR_SENSOR, fileName: '', fileExtension: '', methodParameters: {}, mimeType: '' },
    ...{ tags: [], datasetIds: [], fileCreateTime: undefined, fileModifyTime: undefined },
  };
  return { id, bytes: encodeMessage(DataCaptureUploadRequest, { metadata, sensorContents }) };
}

/** Sends uploads, so many at once, each until the hub has acknowledged it. @returns seconds until all were */
export async function sendUploads(
  { grpc, token }: HubClient,
  uploads: readonly Upload[],
  atOnce: number,
): Promise<number> {
  const work = uploads.values();
  const sender = async (): Promise<void> => {
    for (const { id, bytes } of work) {
      const headers = { authorization: `Bearer ${token}`, 'upload-id': id };
      await grpc.raw(UPLOAD_PATH, bytes, { headers, timeoutMs: CALL_MS });
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, sender));
  return (performance.now() - startedAt) / 1_000;
}
