import { metadataFromWire } from '../../../proto/channel/metadata.ts';
import { encodeRequestHeaders, encodeRequestPacket } from '../../../proto/channel/request-frames.ts';
import { Response, type ResponseTrailers } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { CallHead, RequestSink, Responder } from '../router.ts';
import { ClientStream, type ClientStreamHost } from './client-stream.ts';
import { Outbox } from './outbox.ts';
import { CloseCode, type MessagePipe } from './pipe.ts';

export interface ChannelClientOptions {
  readonly clock: Clock;
  /** Data bytes of one packet that we send; depends on the carrier. */
  readonly packetBytes: number;
  /** The pipe has closed, and all its calls have ended. Called once. */
  readonly onClosed: (reason: string) => void;
}

/** Calls that the peer of a channel answers: the counterpart of `ChannelServer`. */
export class ChannelClient implements ClientStreamHost {
  readonly clock: Clock;
  readonly #pipe: MessagePipe;
  readonly #options: ChannelClientOptions;
  readonly #outbox: Outbox;
  readonly #streams = new Map<bigint, { readonly stream: ClientStream; readonly deadline: Timer | undefined }>();
  readonly #pausedBy = new Set<ClientStream>();
  #nextId = 1n;
  #closedReason: string | undefined;

  /** Takes over the pipe. */
  constructor(pipe: MessagePipe, options: ChannelClientOptions) {
    this.clock = options.clock;
    this.#pipe = pipe;
    this.#options = options;
    this.#outbox = new Outbox(pipe, options.packetBytes, encodeRequestPacket);
    pipe.onMessage = (bytes) => this.#receive(bytes);
    pipe.onDrain = () => this.#outbox.pump();
    pipe.onClose = (reason) => this.#closed(reason);
    pipe.start();
  }

  /** Number of running calls. */
  get inFlight(): number {
    return this.#streams.size;
  }

  /**
   * Starts a call at the peer, like `Router.start` here; ignores the connection in the header. Ends with UNAVAILABLE if
   * the pipe is closed, or closes in the meantime.
   */
  start(head: CallHead, responder: Responder): RequestSink {
    const id = this.#nextId++;
    const stream = new ClientStream(id, this.#outbox.queueFor(id), this, responder);
    if (this.#closedReason !== undefined) {
      stream.giveUp(StatusCode.UNAVAILABLE, `not connected: ${this.#closedReason}`);
      return stream;
    }
    const { timeoutMs } = head;
    const tooLate = `no answer within ${(timeoutMs ?? 0) / 1_000} s`;
    const deadline =
      timeoutMs === undefined
        ? undefined
        : this.clock.after(timeoutMs, () => stream.giveUp(StatusCode.DEADLINE_EXCEEDED, tooLate));
    this.#streams.set(id, { stream, deadline });
    this.#pipe.send(encodeRequestHeaders(id, head));
    return stream;
  }

  /** Ends the channel and every call on it. */
  close(reason: string): void {
    this.#pipe.close(CloseCode.GOING_AWAY, reason);
    this.#closed(reason);
  }

  setPaused(stream: ClientStream, isPaused: boolean): void {
    const before = this.#pausedBy.size;
    if (isPaused) this.#pausedBy.add(stream);
    else this.#pausedBy.delete(stream);
    if (before === 0 && this.#pausedBy.size > 0) this.#pipe.pause();
    if (before > 0 && this.#pausedBy.size === 0) this.#pipe.resume();
  }

  finished(stream: ClientStream, lastWord: Uint8Array | undefined): void {
    const known = this.#streams.get(stream.id);
    if (known === undefined) return;
    known.deadline?.cancel();
    this.#streams.delete(stream.id);
    if (lastWord !== undefined) this.#pipe.send(lastWord);
  }

  #receive(bytes: Uint8Array): void {
    let frame: Response;
    try {
      frame = Response.decode(bytes);
    } catch {
      // The rest cannot be trusted either.
      this.#pipe.close(CloseCode.PROTOCOL_ERROR, 'not a frame');
      this.#closed('the peer sent something that is no frame');
      return;
    }
    const id = frame.stream?.id;
    const stream = id === undefined ? undefined : this.#streams.get(id)?.stream;
    if (stream === undefined) return; // for a call that has ended
    if (frame.type?.$case === 'headers') stream.headers(metadataFromWire(frame.type.value.metadata?.md ?? {}));
    else if (frame.type?.$case === 'message') stream.packet(frame.type.value);
    else if (frame.type?.$case === 'trailers') {
      const { status, trailers } = endingOf(frame.type.value);
      stream.end(status, trailers);
    }
  }

  #closed(reason: string): void {
    if (this.#closedReason !== undefined) return;
    this.#closedReason = reason;
    this.#outbox.clear();
    for (const { stream } of [...this.#streams.values()]) {
      stream.giveUp(StatusCode.UNAVAILABLE, `the connection was lost: ${reason}`);
    }
    this.#options.onClosed(reason);
  }
}

/** How a call ended; a peer that sends no status means OK. */
function endingOf(trailers: ResponseTrailers): { readonly status: Status; readonly trailers: MetadataRecord } {
  const { code = StatusCode.OK, message = '' } = trailers.status ?? {};
  // An unknown code is passed on unchanged.
  return { status: { code: code as StatusCode, message }, trailers: metadataFromWire(trailers.metadata?.md ?? {}) };
}
