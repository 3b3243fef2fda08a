import type { NewReading } from './insert-readings.ts';

/** Bytes of payloads, of all together. */
const MOST_BYTES = 2 * 1024 * 1024;

interface Recent {
  readonly readings: readonly NewReading[];
  readonly bytes: number;
}

/** The readings of the last uploads, for who is told of an upload and asks for what it brought right after: once each. */
export class RecentReadings {
  readonly #byUpload = new Map<string, Recent>();
  #bytes = 0;

  add(uploadId: string, readings: readonly NewReading[], bytes: number): void {
    if (bytes > MOST_BYTES) return;
    this.#byUpload.set(uploadId, { readings, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#byUpload.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.take(oldest);
    }
  }

  /** Those of an upload, which are let go of; undefined where they are not here any more. */
  take(uploadId: string): readonly NewReading[] | undefined {
    const found = this.#byUpload.get(uploadId);
    if (found === undefined) return undefined;
    this.#byUpload.delete(uploadId);
    this.#bytes -= found.bytes;
    return found.readings;
  }
}
