import { DataType, SensorData, type UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import type { CaptureContent, PlacedReading } from '../journal/capture-file.ts';

/** Readings that go in one call, and their bytes. */
const MOST_READINGS = 1_000;
export const MOST_BYTES = 1024 * 1024;
/** What is larger than that goes in parts of this size. */
const PART_BYTES = 64 * 1024;

/** One call to the hub: some readings of one stream, or one piece of binary data. */
export interface Upload {
  /**
   * The same for the same content, whenever it is made: a hub that has it answers as before. Made of the file that the
   * readings are in and of where in it they are.
   */
  readonly id: string;
  readonly metadata: UploadMetadata;
  readonly readings: readonly PlacedReading[];
}

/** What a capture file is sent as, in the order of what is in it. */
export function uploadsOf({ id, streams }: CaptureContent): readonly Upload[] {
  const uploads: Upload[] = [];
  for (const { metadata, readings } of streams) {
    const mostReadings = metadata.type === DataType.BINARY_SENSOR ? 1 : MOST_READINGS;
    let chunk: PlacedReading[] = [];
    let bytes = 0;
    const end = (): void => {
      const [first] = chunk;
      if (first !== undefined) uploads.push({ id: `${id}-${first.offset}-${chunk.length}`, metadata, readings: chunk });
      chunk = [];
      bytes = 0;
    };
    for (const reading of readings) {
      if (chunk.length >= mostReadings || bytes + reading.bytes.length > MOST_BYTES) end();
      chunk.push(reading);
      bytes += reading.bytes.length;
    }
    end();
  }
  return uploads.toSorted((one, other) => offsetOf(one) - offsetOf(other));
}

/** Readings as the hub takes them. */
export function sensorContents({ readings }: Upload): SensorData[] {
  return readings.map(({ bytes }) => SensorData.decode(bytes));
}

/** Bytes in parts that messages carry, none of them copied. */
export function* inParts(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
}

function offsetOf({ readings }: Upload): number {
  return readings[0]?.offset ?? 0;
}
