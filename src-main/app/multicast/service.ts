/** The service under which public clients look for machines in a local network; all of them speak gRPC. */
export const SERVICE = '_rpc._tcp.local';
/** Seconds for which an answer may be cached (RFC 6762, 10): one that names an address or port, and any other. */
export const TTL_S = 120;
export const LONG_TTL_S = 4_500;
/** In the TXT record, as public clients look for it: the machine speaks gRPC. */
export const GRPC = 'grpc';
/** In the TXT record of our machines: `tls=1` if the port accepts TLS, else `tls=0`. */
export const TLS = 'tls';

/** Bytes of one label of a name, and of a name (RFC 1035, 2.3.4). */
const LONGEST_LABEL = 63;
const LONGEST_NAME = 255;
/** Bytes of a message (RFC 6762, 17), and of its header. */
const LONGEST_MESSAGE = 9_000;
const HEADER_BYTES = 12;
/**
 * Most questions and records in a message: honest messages have a few. A datagram has room for 10,000, which take 0.15
 * s.
 */
const MAX_RECORDS = 100;

/** Whether DNS can carry a name. */
export function isName(text: string): boolean {
  const labels = text.split('.').map((label) => Buffer.byteLength(label));
  return Buffer.byteLength(text) < LONGEST_NAME && labels.every((length) => length > 0 && length <= LONGEST_LABEL);
}

/**
 * Whether bytes are a question or an answer, judged by the header alone. A message that is too long or has too many
 * records is neither: it is not worth decoding.
 */
export function kindOfMessage(bytes: Buffer): 'query' | 'response' | undefined {
  if (bytes.length < HEADER_BYTES || bytes.length > LONGEST_MESSAGE) return undefined;
  const records = [4, 6, 8, 10].reduce((count, offset) => count + bytes.readUInt16BE(offset), 0);
  if (records > MAX_RECORDS) return undefined;
  return (bytes.readUInt8(2) & 0x80) === 0 ? 'query' : 'response';
}
