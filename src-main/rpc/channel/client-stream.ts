import { Assembly } from '../../../proto/channel/assembly.ts';
import { encodeRequestEnd, encodeReset } from '../../../proto/channel/request-frames.ts';
import type { ResponseMessage } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { MAX_MESSAGE_BYTES } from '../../../proto/message.ts';
import type { Clock } from '../../base/clock.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { RequestSink, Responder } from '../router.ts';
import type { StreamQueue } from './outbox.ts';
import { RequestReader } from './request-reader.ts';

/** What a stream needs of its channel. */
export interface ClientStreamHost {
  readonly clock: Clock;
  setPaused(stream: ClientStream, isPaused: boolean): void;
  /** The call is over; `lastWord`, if given, is sent to the peer before everything else. */
  finished(stream: ClientStream, lastWord: Uint8Array | undefined): void;
}

/** One outbound call on a channel. The answers go to a responder, at its pace. */
export class ClientStream implements RequestSink {
  readonly id: bigint;
  readonly #queue: StreamQueue;
  readonly #host: ClientStreamHost;
  readonly #responder: Responder;
  readonly #assembly = new Assembly();
  readonly #reader: RequestReader;
  /** How the peer ended the call. */
  #ending: { readonly status: Status; readonly trailers: MetadataRecord } | undefined;
  #isHalfClosed = false;
  /** Whether the responder was told that the call ended. */
  #isOver = false;

  constructor(id: bigint, queue: StreamQueue, host: ClientStreamHost, responder: Responder) {
    this.id = id;
    this.#queue = queue;
    this.#host = host;
    this.#responder = responder;
    const answers: RequestSink = {
      message: (bytes) => responder.message(bytes, false),
      halfClose: () => {
        if (this.#ending === undefined || this.#isOver) return;
        this.#isOver = true;
        responder.end(this.#ending.status, this.#ending.trailers);
      },
      cancel: () => undefined,
    };
    this.#reader = new RequestReader(answers, host.clock, {
      setPaused: (isPaused) => host.setPaused(this, isPaused),
      stalled: () => this.giveUp(StatusCode.RESOURCE_EXHAUSTED, 'the caller does not read the answers'),
    });
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    return this.#canSend() ? this.#queue.message(bytes) : undefined;
  }

  halfClose(): void {
    if (!this.#canSend()) return;
    this.#isHalfClosed = true;
    void this.#queue.frame(encodeRequestEnd(this.id));
  }

  cancel(reason: string | Error): void {
    this.giveUp(StatusCode.CANCELLED, typeof reason === 'string' ? reason : reason.message);
  }

  headers(metadata: MetadataRecord): void {
    if (!this.#hasEnded()) this.#responder.headers(metadata);
  }

  packet({ packetMessage }: ResponseMessage): void {
    if (this.#hasEnded() || packetMessage === undefined) return;
    this.#assembly.add(packetMessage.data);
    if (this.#assembly.bytes > MAX_MESSAGE_BYTES) {
      this.giveUp(StatusCode.RESOURCE_EXHAUSTED, `a message may have ${MAX_MESSAGE_BYTES} bytes; the answer has more`);
    } else if (packetMessage.eom) this.#reader.message(this.#assembly.take());
  }

  /** The peer ended the call: its earlier messages are delivered first. */
  end(status: Status, trailers: MetadataRecord): void {
    if (this.#hasEnded()) return;
    this.#ending = { status, trailers };
    this.#queue.clear();
    this.#host.finished(this, undefined);
    this.#reader.halfClose();
  }

  /** Ends the call from our side, and drops messages that the caller has not read. */
  giveUp(code: StatusCode, message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#queue.clear();
    this.#assembly.clear();
    this.#reader.stop();
    // A peer that has ended the call needs no further message.
    if (this.#ending === undefined) this.#host.finished(this, encodeReset(this.id));
    this.#responder.end({ code, message }, {});
  }

  #hasEnded(): boolean {
    return this.#isOver || this.#ending !== undefined;
  }

  #canSend(): boolean {
    return !this.#hasEnded() && !this.#isHalfClosed;
  }
}
