import { Request, Response, type RequestHeaders } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';

/**
 * Reads one frame.
 * @throws when the bytes are not a `Request`
 */
export function decodeRequest(bytes: Uint8Array): Request {
  return Request.decode(bytes);
}

export function encodeHeaders(id: bigint, metadata: MetadataRecord): Uint8Array {
  return encodeMessage(Response, {
    stream: { id },
    type: { $case: 'headers', value: { metadata: { md: metadataToWire(metadata) } } },
  });
}

export function encodePacket(id: bigint, data: Uint8Array, eom: boolean): Uint8Array {
  return encodeMessage(Response, {
    stream: { id },
    type: { $case: 'message', value: { packetMessage: { data, eom } } },
  });
}

export function encodeTrailers(id: bigint, status: Status, trailers: MetadataRecord): Uint8Array {
  return encodeMessage(Response, {
    stream: { id },
    type: {
      $case: 'trailers',
      value: {
        status: { code: status.code, message: oneLine(status.message), details: [] },
        metadata: { md: metadataToWire(trailers) },
      },
    },
  });
}

/** Headers that belong to HTTP/2 and that one client sends along (wire contract 1.6). */
const NOT_METADATA: ReadonlySet<string> = new Set(['content-type', 'te', 'grpc-timeout', 'connection']);

/** Metadata of a call: keys in lower case, nothing of HTTP/2. */
export function fromWire(headers: RequestHeaders): Record<string, string | string[]> {
  return metadataFromWire(headers.metadata?.md ?? {});
}

/** Keys in lower case, nothing of HTTP/2. */
export function metadataFromWire(
  md: Readonly<Record<string, { readonly values: string[] }>>,
): Record<string, string | string[]> {
  const metadata = Object.create(null) as Record<string, string | string[]>;
  for (const [key, strings] of Object.entries(md)) {
    const name = key.toLowerCase();
    const [first, ...more] = strings.values;
    if (first === undefined || !isMetadata(name)) continue;
    metadata[name] = more.length === 0 ? first : strings.values;
  }
  return metadata;
}

/** The same the other way; what belongs to HTTP/2 stays behind. */
export function metadataToWire(
  metadata: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, { values: string[] }> {
  const md: Record<string, { values: string[] }> = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (value === undefined || !isMetadata(key)) continue;
    md[key] = { values: typeof value === 'string' ? [value] : value };
  }
  return md;
}

function isMetadata(name: string): boolean {
  return !name.startsWith(':') && !NOT_METADATA.has(name);
}

/** Milliseconds that the caller gives the call, or undefined. */
export function timeoutMsOf(headers: RequestHeaders): number | undefined {
  const { timeout } = headers;
  return timeout === undefined ? undefined : Number(timeout.seconds) * 1_000 + timeout.nanos / 1e6;
}

/** Clients turn the message into a header value and drop it where it has control characters. */
function oneLine(message: string): string {
  return message.replace(/[\u0000-\u001f\u007f]+/g, ' ');
}
