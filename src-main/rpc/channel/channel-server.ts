import type { Request, RequestHeaders } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import type { Router } from '../router.ts';
import type { TrackedConnection } from '../tracked-connection.ts';
import { decodeRequest, encodeHeaders, encodePacket, encodeTrailers, fromWire, timeoutMsOf } from './frames.ts';
import { Outbox } from './outbox.ts';
import { CloseCode, HIGH_WATER_BYTES, type MessagePipe } from './pipe.ts';
import { ServerStream, type StreamHost } from './server-stream.ts';

export interface ChannelOptions {
  readonly router: Pick<Router, 'start'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Data bytes of one packet that we send; depends on the carrier. */
  readonly packetBytes: number;
}

/** Most running calls on one channel; further ones are refused. */
export const MAX_STREAMS = 256;
/** Bytes of unfinished request messages on one channel. */
const MAX_UNFINISHED_BYTES = 2 * MAX_MESSAGE_BYTES;
/** Most bytes of answers that may wait for a peer that does not read; beyond that, its calls are refused. */
const MAX_UNSENT_BYTES = 2 * MAX_MESSAGE_BYTES;

/**
 * Serves a message channel: many calls over one pipe, framed as `proto.rpc.webrtc.v1` says.
 */
export class ChannelServer implements StreamHost {
  readonly clock: Clock;
  readonly #pipe: MessagePipe;
  readonly #connection: TrackedConnection;
  readonly #options: ChannelOptions;
  readonly #outbox: Outbox;
  readonly #streams = new Map<bigint, ServerStream>();
  readonly #pausedBy = new Set<ServerStream>();
  #unfinishedBytes = 0;

  /** Takes over the pipe; calls end when it closes. */
  constructor(pipe: MessagePipe, connection: TrackedConnection, options: ChannelOptions) {
    this.clock = options.clock;
    this.#pipe = pipe;
    this.#connection = connection;
    this.#options = options;
    this.#outbox = new Outbox(pipe, options.packetBytes, encodePacket);
    pipe.onMessage = (bytes) => this.#receive(bytes);
    pipe.onDrain = () => this.#outbox.pump();
    pipe.onClose = (reason) => this.#closed(reason);
    pipe.start();
  }

  get connection(): TrackedConnection {
    return this.#connection;
  }

  get streamCount(): number {
    return this.#streams.size;
  }

  /** Ends the channel and all its calls at once: the peer may never answer. */
  close(code: number, reason: string): void {
    this.#pipe.close(code, reason);
    this.#closed(reason);
  }

  reserve(bytes: number): boolean {
    if (this.#unfinishedBytes + bytes > MAX_UNFINISHED_BYTES) return false;
    this.#unfinishedBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#unfinishedBytes -= bytes;
  }

  setPaused(stream: ServerStream, isPaused: boolean): void {
    const before = this.#pausedBy.size;
    if (isPaused) this.#pausedBy.add(stream);
    else this.#pausedBy.delete(stream);
    if (before === 0 && this.#pausedBy.size > 0) this.#pipe.pause();
    if (before > 0 && this.#pausedBy.size === 0) this.#pipe.resume();
  }

  finished(stream: ServerStream): void {
    if (this.#streams.get(stream.id) === stream) this.#streams.delete(stream.id);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#connection.isClosed) return;
    let frame: Request;
    try {
      frame = decodeRequest(bytes);
    } catch (error) {
      this.#options.logger.warn('closed a channel: its peer sent something that is no frame', {
        remoteAddress: this.#connection.remoteAddress,
        cause: String(error),
      });
      this.close(CloseCode.PROTOCOL_ERROR, 'not a frame');
      return;
    }
    const id = frame.stream?.id;
    if (id === undefined) return;
    const stream = this.#streams.get(id);
    if (stream !== undefined) stream.receive(frame.type);
    // Other frames on an unknown stream belong to a call that has ended.
    else if (frame.type?.$case === 'headers') this.#open(id, frame.type.value);
  }

  #open(id: bigint, headers: RequestHeaders): void {
    if (this.#streams.size >= MAX_STREAMS) {
      this.#refuse(
        id,
        `this channel has ${MAX_STREAMS} calls under way: wait for one of them, or open another channel`,
      );
      return;
    }
    if (this.#outbox.waitingBytes > MAX_UNSENT_BYTES) {
      this.#refuse(
        id,
        `${this.#outbox.waitingBytes} bytes of answers wait on this channel: read them before calling again`,
      );
      return;
    }
    const stream = new ServerStream(id, this.#outbox.queueFor(id), this);
    this.#streams.set(id, stream);
    const head = {
      path: headers.method,
      metadata: fromWire(headers),
      timeoutMs: timeoutMsOf(headers),
      connection: this.#connection,
    };
    stream.open((responder) => this.#options.router.start(head, responder));
  }

  #refuse(id: bigint, message: string): void {
    // Messages of calls wait in the outbox; only refusals can have filled the pipe beyond that.
    if (this.#pipe.bufferedBytes() > 2 * HIGH_WATER_BYTES) {
      this.close(CloseCode.POLICY_VIOLATION, 'read the answers before calling again');
      return;
    }
    this.#pipe.send(encodeHeaders(id, {}));
    this.#pipe.send(encodeTrailers(id, { code: StatusCode.RESOURCE_EXHAUSTED, message }, {}));
  }

  #closed(reason: string): void {
    if (this.#connection.isClosed) return;
    this.#outbox.clear();
    this.#connection.close();
    for (const stream of [...this.#streams.values()]) stream.abandon(reason);
  }
}
