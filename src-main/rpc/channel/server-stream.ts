import { Assembly } from '../../../proto/channel/assembly.ts';
import type { Request, RequestMessage } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { RequestSink, Responder } from '../router.ts';
import { encodeHeaders, encodeTrailers } from './frames.ts';
import type { StreamQueue } from './outbox.ts';
import { RequestReader } from './request-reader.ts';

/** What a stream needs of its channel. */
export interface StreamHost {
  readonly clock: Clock;
  /** Counts bytes of unfinished messages; false when the channel holds too many. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  setPaused(stream: ServerStream, isPaused: boolean): void;
  /** All data of the stream has been sent. */
  finished(stream: ServerStream): void;
}

/** One call on a channel, from its first frame until its last byte is sent. */
export class ServerStream implements Responder {
  readonly #id: bigint;
  readonly #queue: StreamQueue;
  readonly #host: StreamHost;
  readonly #assembly = new Assembly();
  #sink: RequestSink | undefined;
  #reader: RequestReader | undefined;
  #headersSent = false;
  #ended = false;
  #halfClosed = false;

  constructor(id: bigint, queue: StreamQueue, host: StreamHost) {
    this.#id = id;
    this.#queue = queue;
    this.#host = host;
  }

  get id(): bigint {
    return this.#id;
  }

  /** @param start hands this stream to the router as the responder of a new call */
  open(start: (responder: Responder) => RequestSink): void {
    const sink = start(this);
    this.#sink = sink;
    this.#reader = new RequestReader(sink, this.#host.clock, {
      setPaused: (isPaused) => this.#host.setPaused(this, isPaused),
      stalled: () => this.fail('call.overloaded', 'the method does not read what its caller sends'),
    });
  }

  /** A frame after the first. */
  receive(frame: Request['type']): void {
    if (frame?.$case === 'rstStream') {
      this.abandon('the caller cancelled');
    } else if (this.#ended) {
      // The caller could not know yet that its call had ended.
    } else if (frame?.$case === 'headers') {
      this.fail('call.bad_argument', `headers came twice on stream ${this.#id}`);
    } else if (frame?.$case === 'message') {
      this.#receiveMessage(frame.value);
    }
  }

  /** Ends the call with an error from the channel itself. */
  fail(code: 'call.bad_argument' | 'call.too_large' | 'call.overloaded', message: string): void {
    this.#sink?.cancel(new ArmatureError(code, message));
  }

  /** Ends the call without an answer, because the caller has left or cancelled it. */
  abandon(reason: string): void {
    this.#ended = true;
    this.#stopReceiving();
    this.#queue.clear();
    this.#host.finished(this);
    this.#sink?.cancel(reason);
  }

  headers(metadata: MetadataRecord): void {
    if (this.#ended || this.#headersSent) return;
    this.#headersSent = true;
    void this.#queue.frame(encodeHeaders(this.#id, metadata));
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#ended) return undefined;
    this.headers({});
    return this.#queue.message(bytes);
  }

  end(status: Status, trailers: MetadataRecord): void {
    if (this.#ended) return;
    // Clients need a headers frame even before an error.
    this.headers({});
    this.#ended = true;
    this.#stopReceiving();
    const sent = this.#queue.frame(encodeTrailers(this.#id, status, trailers));
    if (sent === undefined) this.#host.finished(this);
    else void sent.then(() => this.#host.finished(this));
  }

  #receiveMessage(message: RequestMessage): void {
    if (this.#halfClosed) return;
    const packet = message.packetMessage;
    const isWhole = message.hasMessage && packet?.eom === true;
    if (message.hasMessage && packet !== undefined && !this.#assemble(packet.data)) return;
    if (isWhole) {
      this.#host.release(this.#assembly.bytes);
      this.#reader?.message(this.#assembly.take());
    }
    // Go marks the end on every packet of a unary call: it counts only when the message is complete.
    if (!message.eos || (message.hasMessage && !isWhole)) return;
    if (!this.#assembly.isEmpty) {
      this.fail('call.bad_argument', `stream ${this.#id} ended in the middle of a message`);
      return;
    }
    this.#halfClosed = true;
    this.#reader?.halfClose();
  }

  #assemble(data: Uint8Array): boolean {
    if (this.#assembly.bytes + data.length > MAX_MESSAGE_BYTES) {
      this.fail('call.too_large', `a message may have ${MAX_MESSAGE_BYTES} bytes; this one has more`);
      return false;
    }
    if (!this.#host.reserve(data.length)) {
      this.fail('call.overloaded', 'too many unfinished messages on this channel: send fewer at once');
      return false;
    }
    this.#assembly.add(data);
    return true;
  }

  #stopReceiving(): void {
    this.#host.release(this.#assembly.bytes);
    this.#assembly.clear();
    this.#reader?.stop();
  }
}
