import type { Readable } from 'node:stream';

/** The name of a blob: the feature of the hub that owns it, and its SHA-256 in hexadecimal. */
export interface BlobKey {
  readonly area: string;
  readonly sha256: string;
}

/** Where complete blobs are stored: a folder or a bucket. */
export interface BlobPlace {
  /** For messages: a path or an address. */
  readonly name: string;
  /**
   * Stores the content of a file; resolves when it is durable. May move the file.
   * @throws {ArmatureError} `store.full`, `file.unwritable`, `store.unavailable`
   */
  put(key: BlobKey, file: string, bytes: number): Promise<void>;
  /**
   * Opens a blob for reading from an offset. The caller reads it to its end, or destroys it.
   * @param bytes the size that the whole blob must have
   * @throws {ArmatureError} `store.corrupt` if it is missing or has another size, `store.unavailable`
   */
  open(key: BlobKey, bytes: number, offset: number): Promise<Readable>;
  /** Removes a blob; does nothing if it does not exist. */
  remove(key: BlobKey): Promise<void>;
  /** Turns a failure while reading into an error that says what to do. */
  failure(thrown: unknown): unknown;
}
