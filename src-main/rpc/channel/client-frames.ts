import { Request, Response, type ResponseTrailers } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { encodeMessage } from '../../../proto/message.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { CallHead } from '../router.ts';
import type { MetadataRecord } from '../metadata.ts';
import { metadataFromWire, metadataToWire } from './frames.ts';

const MS_PER_SECOND = 1_000;
const NS_PER_MS = 1_000_000;

/**
 * Reads one frame of a peer that serves.
 * @throws when the bytes are not a `Response`
 */
export function decodeResponse(bytes: Uint8Array): Response {
  return Response.decode(bytes);
}

export function encodeRequestHeaders(id: bigint, { path, metadata, timeoutMs }: CallHead): Uint8Array {
  const timeout =
    timeoutMs === undefined
      ? undefined
      : {
          seconds: BigInt(Math.floor(timeoutMs / MS_PER_SECOND)),
          nanos: Math.round((timeoutMs % MS_PER_SECOND) * NS_PER_MS),
        };
  return encodeMessage(Request, {
    stream: { id },
    type: { $case: 'headers', value: { method: path, metadata: { md: metadataToWire(metadata) }, timeout } },
  });
}

export function encodeRequestPacket(id: bigint, data: Uint8Array, eom: boolean): Uint8Array {
  return encodeMessage(Request, {
    stream: { id },
    type: { $case: 'message', value: { hasMessage: true, packetMessage: { data, eom }, eos: false } },
  });
}

/** No message follows. */
export function encodeRequestEnd(id: bigint): Uint8Array {
  return encodeMessage(Request, {
    stream: { id },
    type: {
      $case: 'message',
      value: { hasMessage: false, packetMessage: { data: new Uint8Array(0), eom: true }, eos: true },
    },
  });
}

export function encodeReset(id: bigint): Uint8Array {
  return encodeMessage(Request, { stream: { id }, type: { $case: 'rstStream', value: true } });
}

/** How a call ended; a peer that names no status means OK. */
export function endingOf(trailers: ResponseTrailers): { readonly status: Status; readonly trailers: MetadataRecord } {
  const { code = StatusCode.OK, message = '' } = trailers.status ?? {};
  // A code that nobody has heard of yet is passed on as it is.
  return { status: { code: code as StatusCode, message }, trailers: metadataFromWire(trailers.metadata?.md ?? {}) };
}
