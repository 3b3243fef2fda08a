import { ArmatureError } from '../../base/errors.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { ChannelClient } from '../../rpc/channel/channel-client.ts';
import { forwardedMetadata } from '../../rpc/forwarded-metadata.ts';
import type { Forwarder, RequestSink, Responder } from '../../rpc/router.ts';
import { SIGNALED_KEY } from '../../rpc/webrtc/signaled-key.ts';
import type { Clock } from '../../base/clock.ts';
import type { ConnectedParts } from '../presence/connected-parts.ts';
import type { PartStream } from '../presence/part-stream.ts';

/**
 * Forwards the calls of one caller to a part, as bytes, over a channel of its own. When the part has reconnected, the
 * next call opens a new channel.
 */
export class PartForwarder implements Forwarder {
  readonly #connected: ConnectedParts;
  readonly #clock: Clock;
  readonly #partId: string;
  #open: { readonly stream: PartStream; readonly client: ChannelClient } | undefined;

  constructor(connected: ConnectedParts, clock: Clock, partId: string) {
    this.#connected = connected;
    this.#clock = clock;
    this.#partId = partId;
  }

  start(call: ServerCall, path: string, responder: Responder): RequestSink {
    const { deadline, metadata, connection } = call;
    const timeoutMs = deadline === undefined ? undefined : Math.max(1, deadline - this.#clock.monotonic());
    const forwarded = forwardedMetadata(metadata, NOT_FORWARDED);
    return this.#client().start({ path, metadata: forwarded, timeoutMs, connection }, responder);
  }

  /** The caller has disconnected: the part stops what the caller moved. */
  close(): void {
    this.#open?.client.close('the caller has gone');
    this.#open = undefined;
  }

  #client(): ChannelClient {
    const stream = this.#connected.get(this.#partId);
    if (stream === undefined) throw new ArmatureError('part.unreachable', 'The machine has just gone offline.');
    if (this.#open?.stream === stream) return this.#open.client;
    this.#open?.client.close('the machine connected anew');
    const client = stream.openChannel(() => {
      if (this.#open?.client === client) this.#open = undefined;
    });
    this.#open = { stream, client };
    return client;
  }
}

/** Metadata that is only for the hub, from a caller or its browser. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'origin',
  // Only the hub itself may set for whom it signals.
  SIGNALED_KEY,
]);
