import { Request, Response, type ResponseTrailers } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

/* Framing of the message channel (wire contract 1.6), seen from the client. */

export function decodeResponse(bytes: Uint8Array): Response {
  return Response.decode(bytes);
}

export function encodeHeaders(
  id: bigint,
  method: string,
  metadata: Readonly<Record<string, string>>,
  timeoutMs: number | undefined,
): Uint8Array {
  const md = Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key.toLowerCase(), { values: [value] }]),
  );
  return Request.encode({
    stream: { id },
    type: {
      $case: 'headers',
      value: { method, metadata: { md }, timeout: timeoutMs === undefined ? undefined : durationOf(timeoutMs) },
    },
  }).finish();
}

export function encodePacket(id: bigint, data: Uint8Array, eom: boolean): Uint8Array {
  const value = { hasMessage: true, packetMessage: { data, eom }, eos: false };
  return Request.encode({ stream: { id }, type: { $case: 'message', value } }).finish();
}

/** The end of the requests. */
export function encodeEnd(id: bigint): Uint8Array {
  const value = { hasMessage: false, packetMessage: undefined, eos: true };
  return Request.encode({ stream: { id }, type: { $case: 'message', value } }).finish();
}

export function encodeReset(id: bigint): Uint8Array {
  return Request.encode({ stream: { id }, type: { $case: 'rstStream', value: true } }).finish();
}

export function trailersOf(trailers: ResponseTrailers): Record<string, readonly string[]> {
  return Object.fromEntries(Object.entries(trailers.metadata?.md ?? {}).map(([key, { values }]) => [key, values]));
}

function durationOf(ms: number): { seconds: bigint; nanos: number } {
  const seconds = Math.floor(ms / 1_000);
  return { seconds: BigInt(seconds), nanos: Math.round((ms - seconds * 1_000) * 1e6) };
}
