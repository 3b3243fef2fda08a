/** ContentType and HandshakeType, ExtensionType and NameType (RFC 8446, 5.1, 4 and 4.2; RFC 6066, 3; RFC 7301, 3.1). */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const APPLICATION_PROTOCOLS = 16;

const RECORD_HEADER_BYTES = 5;
const MAX_RECORD_BYTES = 2 ** 14;
/** Version and random. */
const FIXED_BYTES = 2 + 32;

/** The first message of a TLS client. */
export interface ClientHello {
  /** The requested host in lower case; empty if the client names none. */
  readonly serverName: string;
  /** It lists its protocols, as every HTTP/2 client does. */
  readonly offersProtocols: boolean;
}

const NOTHING: ClientHello = { serverName: '', offersProtocols: false };

/**
 * The ClientHello at the start of a connection, as far as it names a target (RFC 8446, 4.1.2). Reads only the first
 * record, so at most 16 KiB and its header.
 * @param first the first bytes of the connection
 * @returns an empty result if this is not a ClientHello in one record; undefined while bytes are missing
 */
export function readClientHello(first: Buffer): ClientHello | undefined {
  // The second byte of the version differs between clients, and has no meaning.
  if (first.length > 0 && first[0] !== HANDSHAKE) return NOTHING;
  if (first.length > 1 && first[1] !== 3) return NOTHING;
  if (first.length < RECORD_HEADER_BYTES) return undefined;
  const length = first.readUInt16BE(3);
  if (length > MAX_RECORD_BYTES) return NOTHING;
  const end = RECORD_HEADER_BYTES + length;
  if (first.length < end) return undefined;
  try {
    return readRecord(new Reader(first.subarray(RECORD_HEADER_BYTES, end)));
  } catch (thrown) {
    if (thrown instanceof RangeError) return NOTHING;
    throw thrown;
  }
}

/** @throws RangeError where a length exceeds the data */
function readRecord(record: Reader): ClientHello {
  if (record.number(1) !== CLIENT_HELLO) return NOTHING;
  const hello = record.vector(3);
  hello.skip(FIXED_BYTES);
  hello.vector(1); // legacy_session_id
  hello.vector(2); // cipher_suites
  hello.vector(1); // legacy_compression_methods
  if (hello.isAtEnd) return NOTHING;
  const extensions = hello.vector(2);
  let serverName = '';
  let offersProtocols = false;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (type === SERVER_NAME) serverName = hostNameIn(data.vector(2));
    offersProtocols ||= type === APPLICATION_PROTOCOLS;
  }
  return { serverName, offersProtocols };
}

function hostNameIn(names: Reader): string {
  while (!names.isAtEnd) {
    const nameType = names.number(1);
    const name = names.vector(2);
    if (nameType === HOST_NAME) return name.text().toLowerCase();
  }
  return '';
}

/** Reads numbers and vectors (RFC 8446, 3.4) from the front of bytes. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(size: number): number {
    const value = this.#bytes.readUIntBE(this.#at, size);
    this.#at += size;
    return value;
  }

  /** Bytes with their length before them, in `size` bytes. */
  vector(size: number): Reader {
    const length = this.number(size);
    this.skip(length);
    return new Reader(this.#bytes.subarray(this.#at - length, this.#at));
  }

  skip(length: number): void {
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('A vector is longer than what holds it.');
  }

  text(): string {
    return this.#bytes.toString('latin1', this.#at);
  }
}
