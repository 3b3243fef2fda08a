import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { UploadMetadata } from '../../../../proto/gen/core/app/datasync/v1/data_sync.ts';
import { encodeMessage } from '../../../../proto/message.ts';
import { ArmatureError } from '../../../base/errors.ts';
import { readRecords, recordHead, type RecordKind } from './records.ts';

/** What all readings of one captured method have in common; the journal compares it by identity. */
export interface CaptureStream {
  /** Without the part, which is added when it is sent. */
  readonly metadata: UploadMetadata;
}

/** A reading to write. */
export interface CapturedReading {
  readonly stream: CaptureStream;
  /** An encoded `SensorData`. */
  readonly reading: Uint8Array;
}

/** More than the header of a record can number. */
const MAX_STREAMS = 0x1_00_00;

/** The capture file that is being written. Its records are always complete and in order; see `records.ts`. */
export class CaptureFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #streams = new Map<CaptureStream, number>();
  /** Up to here the file has complete records, each once. */
  #bytes = 0;
  #readings = 0;
  #isUnsynced = false;
  #syncing: Promise<void> | undefined;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /**
   * Creates the file.
   * @throws errors of the file system
   */
  static async create(path: string): Promise<CaptureFile> {
    const handle = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    const file = new CaptureFile(path, handle);
    try {
      await file.#write(record('file', 0, Buffer.from(randomUUID())));
      return file;
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of readings in it. */
  get readings(): number {
    return this.#readings;
  }

  /** Whether there is a number left for another stream. */
  get hasRoom(): boolean {
    return this.#streams.size < MAX_STREAMS;
  }

  /**
   * Appends readings: all of them, or none. Afterwards they survive the end of this process and, once flushed to the
   * disk, a power cut.
   * @param onFailure called if flushing failed
   * @throws errors of the file system
   */
  async append(captured: readonly CapturedReading[], onFailure: (thrown: unknown) => void): Promise<void> {
    const parts: Uint8Array[] = [];
    const begun: CaptureStream[] = [];
    for (const { stream, reading } of captured) {
      let number = this.#streams.get(stream);
      if (number === undefined) {
        number = this.#streams.size;
        this.#streams.set(stream, number);
        begun.push(stream);
        parts.push(...record('stream', number, encodeMessage(UploadMetadata, stream.metadata)));
      }
      parts.push(...record('reading', number, reading));
    }
    try {
      await this.#write(parts);
      this.#readings += captured.length;
    } catch (thrown) {
      for (const stream of begun) this.#streams.delete(stream);
      throw thrown;
    }
    this.#isUnsynced = true;
    // Not awaited: later readings are written, and survive a kill, while the disk is still flushing.
    this.#syncing ??= this.#sync()
      .catch(onFailure)
      .finally(() => (this.#syncing = undefined));
  }

  /**
   * Settles when all of it is on the disk; nothing can be written afterwards.
   * @throws errors of the file system
   */
  async finish(): Promise<void> {
    await this.#syncing;
    await this.#handle.datasync();
    await this.#handle.close();
  }

  /** Stops writing, whatever the state of the file. */
  async close(): Promise<void> {
    await this.#syncing;
    await this.#handle.close();
  }

  async #sync(): Promise<void> {
    while (this.#isUnsynced) {
      this.#isUnsynced = false;
      await this.#handle.datasync();
    }
  }

  async #write(parts: readonly Uint8Array[]): Promise<void> {
    const all = Buffer.concat(parts);
    try {
      const { bytesWritten } = await this.#handle.write(all, 0, all.length, this.#bytes);
      if (bytesWritten < all.length) throw new DiskFull(this.path);
    } catch (thrown) {
      // Partly written readings are cut off: they are written to another file and must not be read twice.
      await this.#handle.truncate(this.#bytes);
      throw thrown;
    }
    this.#bytes += all.length;
  }
}

/** A nearly full disk writes only a part, without an error. */
class DiskFull extends Error {
  readonly code = 'ENOSPC';

  constructor(file: string) {
    super(`${file}: no space left on device`);
  }
}

function record(kind: RecordKind, stream: number, content: Uint8Array): readonly [Buffer, Uint8Array] {
  return [recordHead(kind, stream, content), content];
}

/** The contents of a capture file. */
export interface CaptureContent {
  readonly id: string;
  /** Streams with their readings, each an encoded `SensorData`, and the place of each in the file. */
  readonly streams: readonly { readonly metadata: UploadMetadata; readonly readings: readonly StoredReading[] }[];
  /** Up to here it has complete records. */
  readonly wholeBytes: number;
}

export interface StoredReading {
  readonly bytes: Uint8Array;
  readonly offset: number;
}

/** @throws {ArmatureError} `file.unreadable` if it does not start like a capture file */
export function readCapture(path: string, file: Buffer): CaptureContent {
  const streams = new Map<number, { metadata: UploadMetadata; readings: StoredReading[] }>();
  let id = '';
  let wholeBytes = 0;
  for (const { kind, stream, content, offset } of readRecords(file)) {
    if (kind === 'file') id = Buffer.from(content).toString('utf8');
    else if (kind === 'stream') streams.set(stream, { metadata: UploadMetadata.decode(content), readings: [] });
    else streams.get(stream)?.readings.push({ bytes: content, offset });
    wholeBytes = content.byteOffset - file.byteOffset + content.length;
  }
  if (id === '') {
    throw new ArmatureError('file.unreadable', `${path} is no capture file, or its beginning is damaged.`, {
      details: { path },
    });
  }
  return { id, streams: [...streams.values()], wholeBytes };
}
