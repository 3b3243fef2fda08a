import { metadataFromWire, metadataToWire } from '../../../proto/channel/metadata.ts';
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

/** Metadata of a call: keys in lower case, nothing of HTTP/2. */
export function fromWire(headers: RequestHeaders): Record<string, string | string[]> {
  return metadataFromWire(headers.metadata?.md ?? {});
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
