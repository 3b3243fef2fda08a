import type { Readable } from 'node:stream';

/** A blob: what feature of the hub it is of, and its SHA-256, hexadecimal. */
export interface BlobKey {
  readonly area: string;
  readonly sha256: string;
}

/** Where whole blobs are: a folder or a bucket. */
export interface BlobPlace {
  /** For messages: a path or an address. */
  readonly name: string;
  /**
   * Puts the content of a file there, and settles when it is durable. The file may be gone then.
   * @throws {ArmatureError} `store.full`, `file.unwritable`, `store.unavailable`
   */
  put(key: BlobKey, file: string, bytes: number): Promise<void>;
  /**
   * Opens one for reading from an offset. Whoever asks reads it to its end, or destroys it.
   * @param bytes as many as it must have, from its beginning
   * @throws {ArmatureError} `store.corrupt` where it is gone or has another size, `store.unavailable`
   */
  open(key: BlobKey, bytes: number, offset: number): Promise<Readable>;
  /** What is not there is removed. */
  remove(key: BlobKey): Promise<void>;
  /** A failure while one was read, in words that say what to do. */
  failure(thrown: unknown): unknown;
}
