import { DataType, SensorData, type UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { CaptureContent, StoredReading } from '../journal/capture-file.ts';

/** Most readings in one call, and their bytes. */
const MAX_READINGS = 1_000;
export const MAX_BYTES = 1024 * 1024;
/** Larger data is sent in parts of this size. */
const PART_BYTES = 64 * 1024;

/** One call to the hub: some readings of one stream, or one piece of binary data. */
export interface Upload {
  /**
   * The same for the same content, so that the hub recognizes a repeated upload. Derived from the file of the readings
   * and their place in it.
   */
  readonly id: string;
  /** Id of the capture file. */
  readonly file: string;
  readonly metadata: UploadMetadata;
  readonly readings: readonly StoredReading[];
}

/** The uploads for a capture file, in the order of its contents. */
export function toUploads({ id, streams }: CaptureContent): readonly Upload[] {
  const uploads: Upload[] = [];
  for (const { metadata, readings } of streams) {
    const mostReadings = metadata.type === DataType.BINARY_SENSOR ? 1 : MAX_READINGS;
    let chunk: StoredReading[] = [];
    let bytes = 0;
    const end = (): void => {
      if (chunk.length > 0) uploads.push(uploadOf(id, metadata, chunk));
      chunk = [];
      bytes = 0;
    };
    for (const reading of readings) {
      if (chunk.length >= mostReadings || bytes + reading.bytes.length > MAX_BYTES) end();
      chunk.push(reading);
      bytes += reading.bytes.length;
    }
    end();
  }
  return uploads.toSorted((one, other) => offsetOf(one) - offsetOf(other));
}

/** Splits an upload in two. */
export function splitUpload({ file, metadata, readings }: Upload): readonly Upload[] {
  const middle = Math.ceil(readings.length / 2);
  return [readings.slice(0, middle), readings.slice(middle)].map((half) => uploadOf(file, metadata, half));
}

/** Readings in the hub's format. */
export function sensorContents({ readings }: Upload): SensorData[] {
  return readings.map(({ bytes }) => SensorData.decode(bytes));
}

/** Bytes split into parts that fit messages, without copying. */
export function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

function uploadOf(file: string, metadata: UploadMetadata, readings: readonly StoredReading[]): Upload {
  return { id: `${file}-${readings[0]?.offset ?? 0}-${readings.length}`, file, metadata, readings };
}

function offsetOf({ readings }: Upload): number {
  return readings[0]?.offset ?? 0;
}
