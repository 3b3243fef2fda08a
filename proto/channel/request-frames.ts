import { Request } from '../gen/proto/rpc/webrtc/v1/grpc.ts';
import { encodeMessage } from '../message.ts';
import { metadataToWire } from './metadata.ts';

/* What a caller sends on a message channel: the window to its machine, the hub to a part. */

const MS_PER_SECOND = 1_000;
const NS_PER_MS = 1_000_000;

/** How a call begins, as its caller says it. */
export interface RequestHead {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Keys are lower case. */
  readonly metadata: Readonly<Record<string, string | string[] | undefined>>;
  readonly timeoutMs?: number | undefined;
}

export function encodeRequestHeaders(id: bigint, { path, metadata, timeoutMs }: RequestHead): Uint8Array {
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

/** @param eom whether the message ends with this packet */
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
