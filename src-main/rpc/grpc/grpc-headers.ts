import { ArmatureError } from '../../base/errors.ts';
import type { Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';

/** Supported encodings of requests; answers are never compressed. */
export const ACCEPTED_ENCODINGS = 'identity,gzip';

const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/**
 * The `grpc-timeout` header as milliseconds; undefined where there is none.
 * @throws ArmatureError `call.bad_argument`
 */
export function parseGrpcTimeout(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  const match = typeof value === 'string' ? /^(\d{1,8})([HMSmun])$/.exec(value) : null;
  if (match === null) {
    throw new ArmatureError(
      'call.bad_argument',
      `The header grpc-timeout is "${String(value).slice(0, 40)}"; write up to 8 digits and a unit of H, M, S, m, u or n.`,
    );
  }
  return Number(match[1]) * (unitMs[match[2] as string] as number);
}

const MAX_DIGITS = 99_999_999;

/** A time limit in `grpc-timeout` form: never longer than given, and never zero. */
export function encodeGrpcTimeout(timeoutMs: number): string {
  if (timeoutMs < 10) return `${Math.max(1, Math.floor(timeoutMs * 1_000))}u`;
  if (timeoutMs <= MAX_DIGITS) return `${Math.floor(timeoutMs)}m`;
  return `${Math.min(MAX_DIGITS, Math.floor(timeoutMs / 1_000))}S`;
}

const NEEDS_ENCODING = /[^\x20-\x24\x26-\x7e]/;

/** A status message as `grpc-message` carries it: UTF-8 with percent escapes. */
export function encodeGrpcMessage(message: string): string {
  if (!NEEDS_ENCODING.test(message)) return message;
  let encoded = '';
  for (const byte of Buffer.from(message, 'utf8')) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** Longest status message that is sent: some clients accept 8 KiB of headers and trailers in total. */
const MAX_MESSAGE_LENGTH = 3 * 1024;

/** The trailers that end a call. */
export function statusTrailers(status: Status, trailers: MetadataRecord): Record<string, string | string[]> {
  const result: Record<string, string | string[]> = { 'grpc-status': String(status.code) };
  if (status.message !== '') {
    const encoded = encodeGrpcMessage(status.message);
    // Cut so that no percent escape is split.
    const cut =
      encoded.length > MAX_MESSAGE_LENGTH ? encoded.slice(0, MAX_MESSAGE_LENGTH).replace(/%.?$/, '') : encoded;
    // A space at the start or end of a header is dropped in transit (RFC 9113, 8.2.1).
    result['grpc-message'] = cut.replace(/^ | $/g, '%20');
  }
  addMetadata(result, trailers);
  return result;
}

/** Adds metadata of ours to headers, leaving out names that belong to the transport. */
export function addMetadata(headers: Record<string, string | string[]>, metadata: MetadataRecord): void {
  for (const key in metadata) {
    if (isTransportHeader(key)) continue;
    headers[key] = metadata[key] as string | string[];
  }
}

const TRANSPORT_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'grpc-accept-encoding',
  'grpc-encoding',
  'grpc-message',
  'grpc-status',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header belongs to the transport, and is no metadata of the call. */
export function isTransportHeader(key: string): boolean {
  return key.startsWith(':') || TRANSPORT_HEADERS.has(key);
}

/** Whether a content type is gRPC with protobuf messages: `application/grpc`, `+proto`, with or without parameters. */
export function isGrpcContentType(contentType: string): boolean {
  return /^application\/grpc(\+proto)?\s*(;|$)/i.test(contentType);
}
