import type { NewReading } from './insert-readings.ts';

/** Payloads of all uploads together. */
const MAX_BYTES = 2 * 1024 * 1024;

interface Recent {
  readonly readings: readonly NewReading[];
  readonly bytes: number;
}

/** Cache of the readings of the last uploads, for consumers of their events. Each upload is returned once. */
export class RecentReadings {
  readonly #byUpload = new Map<string, Recent>();
  #bytes = 0;

  add(uploadId: string, readings: readonly NewReading[], bytes: number): void {
    if (bytes > MAX_BYTES) return;
    this.#byUpload.set(uploadId, { readings, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#byUpload.keys()) {
      if (this.#bytes <= MAX_BYTES) return;
      this.take(oldest);
    }
  }

  /** Removes and returns the readings of an upload; undefined if they are not cached any more. */
  take(uploadId: string): readonly NewReading[] | undefined {
    const found = this.#byUpload.get(uploadId);
    if (found === undefined) return undefined;
    this.#byUpload.delete(uploadId);
    this.#bytes -= found.bytes;
    return found.readings;
  }
}
