import type { ExportedReading } from '../../../shared/machine/data/data-calls.ts';
import type { FileSink } from '../../../shared/files/file-sink.ts';

/** Columns of a table, at most: programs that read tables take few more. */
export const mostColumns = 10_000;

/** Why an export came to its end early, for the page to say in words. */
export class ExportStopped extends Error {
  readonly reason: 'memory' | 'columns';

  constructor(reason: 'memory' | 'columns') {
    super(reason);
    this.reason = reason;
  }
}

/** How readings are written to a file of one format. */
export interface ReadingFile {
  /** Begins the file, with what is known of its readings so far. */
  begin(): void;
  /** @returns false where it does not fit what the file was begun with, and is not written */
  add(reading: ExportedReading): Promise<boolean>;
  /** Takes note of a reading, for when the file is begun anew. */
  learn(reading: ExportedReading): void;
  /** Writes what is not written yet. */
  end(): Promise<void>;
}

/** A file as far as it is written, which counts its bytes. */
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
