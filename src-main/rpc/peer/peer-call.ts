import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { ArmatureError, toArmatureError, toStatus } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { DeadlineQueue, Expiring } from '../routing/deadline-queue.ts';
import { dropListeners, onError } from '../grpc/drop-listeners.ts';
import { codeOfHttpStatus, codeOfReset, nameOfReset, readStatus, receivedMetadata } from '../grpc/grpc-answer.ts';
import { isGrpcContentType } from '../grpc/grpc-headers.ts';
import type { InflatedMessage } from '../grpc/gzip.ts';
import { writeMessage, type FramedMessage } from '../grpc/message-assembler.ts';
import type { MetadataRecord } from '../metadata.ts';
import { RequestFeed } from '../routing/request-feed.ts';
import type { RequestSink, Responder } from '../router.ts';

/** State shared by the calls of one peer. */
export interface PeerCallContext {
  /** Name of the peer in messages. */
  readonly name: string;
  readonly maxMessageBytes: number;
  /** Inflates an answer, if the budget of the peer's answers allows. */
  inflate(compressed: Uint8Array): InflatedMessage;
  readonly deadlines: DeadlineQueue;
  /** Why the connection was lost; undefined while it is open. */
  readonly lossReason: string | undefined;
}

const NO_TRAILERS: MetadataRecord = Object.freeze({});
const CALL = Symbol('call');

type CallStream = ClientHttp2Stream & { [CALL]?: PeerCall | undefined };

// One set of listeners for all streams: a call makes no closures.
function onResponse(this: CallStream, headers: IncomingHttpHeaders): void {
  this[CALL]?.answered(headers);
}
function onData(this: CallStream, chunk: Buffer): void {
  this[CALL]?.received(chunk);
}
function onTrailers(this: CallStream, trailers: IncomingHttpHeaders): void {
  this[CALL]?.receivedTrailers(trailers);
}
function onEnd(this: CallStream): void {
  this[CALL]?.receivedAll();
}
function onDrain(this: CallStream): void {
  this[CALL]?.drained();
}
function onClose(this: CallStream): void {
  this[CALL]?.closed();
  this[CALL] = undefined;
  dropListeners(this);
}

/** Passes a peer's answers from the feed, which splits them into messages, to the responder. */
class AnswerSink implements RequestSink {
  readonly #call: PeerCall;
  readonly #responder: Responder;

  constructor(call: PeerCall, responder: Responder) {
    this.#call = call;
    this.#responder = responder;
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    return this.#call.isOver ? undefined : this.#responder.message(bytes, false);
  }

  halfClose(): void {
    this.#call.delivered();
  }

  /** The answer is invalid: the peer's fault, even if the error's code is for requests. */
  cancel(reason: string | ArmatureError): void {
    const error = toArmatureError(reason);
    const code = error.code === 'call.too_large' ? StatusCode.RESOURCE_EXHAUSTED : StatusCode.INTERNAL;
    this.#call.fail({ code, message: error.message });
  }
}

/** One outbound call on its HTTP/2 stream: writes requests to it, splits its answers. */
export class PeerCall implements RequestSink, Expiring {
  readonly deadline: number | undefined;
  deadlineBucket: Set<Expiring> | undefined;
  readonly #context: PeerCallContext;
  readonly #path: string;
  readonly #timeoutMs: number | undefined;
  readonly #responder: Responder;
  readonly #stream: CallStream;
  readonly #feed: RequestFeed;
  #encoding: string | undefined;
  #inflated: InflatedMessage | undefined;
  /** How the peer ended the call. */
  #ending: { readonly status: Status; readonly trailers: MetadataRecord } | undefined;
  #isHalfClosed = false;
  /** Everything received was delivered. */
  #isDelivered = false;
  /** The stream has closed. */
  #isClosed = false;
  #isOver = false;
  #whenDrained: Promise<void> | undefined;
  #settleDrained: (() => void) | undefined;

  /** @param deadline monotonic time at which the call is given up, `timeoutMs` after its start */
  constructor(
    context: PeerCallContext,
    stream: ClientHttp2Stream,
    path: string,
    responder: Responder,
    deadline: number | undefined,
    timeoutMs: number | undefined,
  ) {
    this.#context = context;
    this.#path = path;
    this.#timeoutMs = timeoutMs;
    this.#responder = responder;
    this.#stream = stream;
    this.deadline = deadline;
    const sink = new AnswerSink(this, responder);
    this.#feed = new RequestFeed(context.maxMessageBytes, sink, stream, (message) => this.#readFlagged(message));
    if (deadline !== undefined) context.deadlines.add(this);
    this.#stream[CALL] = this;
    stream.on('error', onError);
    stream.on('close', onClose);
    stream.on('response', onResponse);
    stream.on('trailers', onTrailers);
    stream.on('end', onEnd);
    stream.on('data', onData);
  }

  /** Whether the responder was told that the call ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  // Our side.

  message(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isOver || this.#isHalfClosed || this.#isClosed) return undefined;
    if (writeMessage(this.#stream, bytes)) return undefined;
    if (this.#whenDrained === undefined) {
      this.#whenDrained = new Promise((resolve) => (this.#settleDrained = resolve));
      this.#stream.once('drain', onDrain);
    }
    return this.#whenDrained;
  }

  halfClose(): void {
    if (this.#isOver || this.#isHalfClosed) return;
    this.#isHalfClosed = true;
    this.#stream.end();
  }

  cancel(reason: string | ArmatureError): void {
    if (this.#isOver) return;
    this.fail(typeof reason === 'string' ? { code: StatusCode.CANCELLED, message: reason } : toStatus(reason));
  }

  /** The deadline has passed. */
  expire(): void {
    this.fail({
      code: StatusCode.DEADLINE_EXCEEDED,
      message: `${this.#context.name} did not end ${this.#path} within ${Math.round(this.#timeoutMs ?? 0)} ms.`,
    });
  }

  drained(): void {
    const settle = this.#settleDrained;
    this.#whenDrained = undefined;
    this.#settleDrained = undefined;
    settle?.();
  }

  // The peer's side.

  answered(headers: IncomingHttpHeaders): void {
    if (this.#isOver) return;
    const status = readStatus(headers);
    if (status !== undefined) {
      this.#ending = { status, trailers: receivedMetadata(headers) };
      return;
    }
    const http = headers[':status'] as number | undefined;
    const contentType = headers['content-type'];
    if (http !== 200) {
      this.#failAs(
        codeOfHttpStatus(http),
        `answered ${this.#path} with the HTTP status ${http ?? 'none'}, not as a gRPC server`,
      );
    } else if (contentType !== undefined && !isGrpcContentType(contentType)) {
      this.#failAs(StatusCode.UNKNOWN, `answered ${this.#path} with the content type "${contentType}", not with gRPC`);
    } else {
      this.#encoding = headers['grpc-encoding'] as string | undefined;
      this.#responder.headers(receivedMetadata(headers));
    }
  }

  received(chunk: Buffer): void {
    this.#feed.push(chunk);
  }

  receivedTrailers(trailers: IncomingHttpHeaders): void {
    const status = readStatus(trailers);
    if (status !== undefined) this.#ending = { status, trailers: receivedMetadata(trailers) };
  }

  receivedAll(): void {
    // A lost connection ends its streams too: without a status, 'close' reports the reason.
    if (this.#ending !== undefined) this.#feed.complete();
  }

  /** Everything that the peer sent was delivered. */
  delivered(): void {
    this.#isDelivered = true;
    if (!this.#isOver && this.#ending !== undefined) this.#end(this.#ending.status, this.#ending.trailers);
  }

  closed(): void {
    this.#isClosed = true;
    this.drained();
    if (!this.#isOver && !this.#feed.isComplete) this.#failWithoutStatus();
  }

  /** Ends the call from our side: tells the peer to stop. */
  fail(status: Status): void {
    if (!this.#isOver) this.#end(status, NO_TRAILERS);
  }

  #failAs(code: StatusCode, what: string): void {
    this.fail({ code, message: `${this.#context.name} ${what}.` });
  }

  #failWithoutStatus(): void {
    const { lossReason } = this.#context;
    if (lossReason !== undefined) {
      this.fail({ code: StatusCode.UNAVAILABLE, message: lossReason });
      return;
    }
    const reset = this.#stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
    if (reset === constants.NGHTTP2_NO_ERROR) this.#failAs(StatusCode.UNKNOWN, `ended ${this.#path} without a status`);
    else this.#failAs(codeOfReset(reset), `broke off ${this.#path} (${nameOfReset(reset)})`);
  }

  #end(status: Status, trailers: MetadataRecord): void {
    this.#isOver = true;
    this.#feed.stop();
    this.#inflated?.release();
    if (this.deadlineBucket !== undefined) this.#context.deadlines.remove(this);
    if (!this.#isClosed && !(this.#isDelivered && this.#isHalfClosed)) {
      this.#stream.close(constants.NGHTTP2_CANCEL);
      // Drops buffered data, otherwise the stream would not close.
      this.#stream.resume();
    }
    this.drained();
    this.#responder.end(status, trailers);
  }

  async #readFlagged({ flags, bytes }: FramedMessage): Promise<Uint8Array> {
    if (flags === 1 && this.#encoding === 'gzip') {
      this.#inflated?.release();
      this.#inflated = this.#context.inflate(bytes);
      return this.#inflated.bytes;
    }
    const what =
      flags === 1
        ? `is compressed as "${this.#encoding ?? ''}", and only gzip is read`
        : `has a message with the unknown flags ${flags}`;
    throw new ArmatureError('call.bad_argument', `The answer to ${this.#path} ${what}.`);
  }
}
