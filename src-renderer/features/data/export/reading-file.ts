import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import type { FileSink } from '../../../shared/files/file-sink.ts';

/** Most columns of a table: programs that read tables rarely support more. */
export const MAX_COLUMNS = 10_000;

/** Thrown where an export cannot go on; the page shows `reason` in words. */
export class ExportStopped extends Error {
  readonly reason: 'memory' | 'columns';

  constructor(reason: 'memory' | 'columns') {
    super(reason);
    this.reason = reason;
  }
}

/** Writes readings to a file of one format. */
export interface ReadingFile {
  /** Starts the file, with the columns known so far. */
  begin(): void;
  /** @returns false where the reading does not fit the columns of the file, and is not written */
  add(reading: ExportedReading): Promise<boolean>;
  /** Notes the columns of a reading, for when the file is started again. */
  learn(reading: ExportedReading): void;
  /** Writes the rest and ends the file. */
  end(): Promise<void>;
}

/** A file that counts the bytes written to it. */
export class CountedFile {
  readonly #sink: FileSink;
  bytes = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
  }

  /** @throws {ExportStopped} `memory` */
  async write(piece: string | Uint8Array<ArrayBuffer>): Promise<void> {
    this.bytes += typeof piece === 'string' ? new TextEncoder().encode(piece).length : piece.length;
    const { limitBytes = Infinity } = this.#sink;
    if (this.bytes > limitBytes) throw new ExportStopped('memory');
    await this.#sink.write(piece);
  }

  async restart(): Promise<void> {
    this.bytes = 0;
    await this.#sink.restart();
  }
}
