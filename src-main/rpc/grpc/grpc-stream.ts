import { constants, type ServerHttp2Stream } from 'node:http2';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { OK, StatusCode, type Status } from '../../base/status.ts';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { dropListeners, onError } from './drop-listeners.ts';
import { ACCEPTED_ENCODINGS, addMetadata, statusTrailers } from './grpc-headers.ts';
import type { ByteBudget } from '../byte-budget.ts';
import { processInflation, type InflatedMessage } from './gzip.ts';
import type { LimitedConnection } from '../limited-connection.ts';
import { writeMessage, type FramedMessage } from './message-assembler.ts';
import type { MetadataRecord } from '../metadata.ts';
import { RequestFeed } from '../routing/request-feed.ts';
import type { RequestSink, Responder } from '../router.ts';

/** Budgets for the bytes that one session holds, shared by its streams. */
export interface SessionBytes {
  /** For answers that wait to be sent. */
  unsent: number;
  /** For incomplete requests. */
  unfinished: number;
  /** For compressed requests that are being inflated, and inflated ones. */
  readonly inflated: ByteBudget;
  /** For the session's connection, if it is limited. */
  readonly limits: LimitedConnection | undefined;
}

/** Most bytes of incomplete requests in one session. */
const MAX_UNFINISHED_BYTES = 2 * MAX_MESSAGE_BYTES;

/** What the gRPC streams of a server share. */
export interface GrpcStreamContext {
  readonly logger: Logger;
  readonly maxMessageBytes: number;
}

const ANSWER_HEADERS = Object.freeze({ ':status': 200, 'content-type': 'application/grpc' });
const WITH_TRAILERS = Object.freeze({ waitForTrailers: true });
const OK_TRAILERS = Object.freeze({ 'grpc-status': '0' });
const CALL = Symbol('call');

type CallStream = ServerHttp2Stream & { [CALL]?: GrpcStream | undefined };

// One set of listeners for all streams: a call makes no closures.
function onData(this: CallStream, chunk: Buffer): void {
  this[CALL]?.received(chunk);
}
function onEnd(this: CallStream): void {
  this[CALL]?.receivedAll();
}
function onWantTrailers(this: CallStream): void {
  this[CALL]?.sendTrailers();
}
function onClose(this: CallStream): void {
  this[CALL]?.closed();
  this[CALL] = undefined;
  dropListeners(this);
}
function onDrain(this: CallStream): void {
  this[CALL]?.drained();
}

/** One gRPC call on its HTTP/2 stream: cuts requests out of it, writes answers to it. */
export class GrpcStream implements Responder {
  readonly #context: GrpcStreamContext;
  readonly #stream: CallStream;
  readonly #held: SessionBytes;
  readonly #encoding: string | undefined;
  #sink: RequestSink | undefined;
  #feed: RequestFeed | undefined;
  /** The last compressed request: counted until the next one arrives, or the call ends. */
  #inflated: InflatedMessage | undefined;
  #maxMessageBytes: number;
  #isClosed = false;
  #hasEnded = false;
  #headers: Record<string, string | number | string[]> | undefined;
  #hasResponded = false;
  #lastMessage: Uint8Array | undefined;
  #status: Status = OK;
  #trailers: MetadataRecord | undefined;
  #unsentBytes = 0;
  #unfinishedBytes = 0;
  #whenDrained: Promise<void> | undefined;
  #settleDrained: (() => void) | undefined;

  constructor(context: GrpcStreamContext, stream: ServerHttp2Stream, held: SessionBytes, encoding: string | undefined) {
    this.#context = context;
    this.#stream = stream;
    this.#held = held;
    this.#encoding = encoding;
    this.#maxMessageBytes = context.maxMessageBytes;
    this.#stream[CALL] = this;
    stream.on('error', onError);
    stream.on('close', onClose);
  }

  /** Starts reading into `sink`. */
  open(sink: RequestSink): void {
    const { admission, maxRequestBytes } = sink;
    if (maxRequestBytes !== undefined) this.#maxMessageBytes = maxRequestBytes;
    this.#sink = sink;
    this.#feed = new RequestFeed(this.#maxMessageBytes, sink, this.#stream, (message) => this.#readFlagged(message));
    // It may have been refused already: its data is dropped.
    if (this.#hasEnded) this.#feed.stop();
    // Unread data fills only the window of its own connection.
    if (admission === undefined) this.#read();
    else void admission.then(() => this.#read());
  }

  #read(): void {
    this.#stream.on('data', onData);
    this.#stream.on('end', onEnd);
  }

  // The caller's side.

  received(chunk: Buffer): void {
    this.#feed?.push(chunk);
    this.#countUnfinished(this.#hasEnded ? 0 : (this.#feed?.buffered ?? 0));
    if (this.#held.unfinished > MAX_UNFINISHED_BYTES) {
      const message = `Unfinished requests hold ${this.#held.unfinished} bytes of this connection, at most ${MAX_UNFINISHED_BYTES}: send fewer at once.`;
      this.#sink?.cancel(new ArmatureError('call.overloaded', message));
    }
  }

  receivedAll(): void {
    this.#feed?.complete();
  }

  closed(): void {
    this.#isClosed = true;
    this.#hasEnded = true;
    this.#feed?.stop();
    this.#inflated?.release();
    this.#held.unsent -= this.#unsentBytes;
    this.#unsentBytes = 0;
    this.#countUnfinished(0);
    this.drained();
    this.#sink?.cancel('its caller is gone');
  }

  async #readFlagged(message: FramedMessage): Promise<Uint8Array> {
    if (message.flags !== 1 || this.#encoding === undefined) {
      throw new ArmatureError(
        'call.bad_argument',
        message.flags === 1
          ? 'The message is marked as compressed, but the header grpc-encoding names no encoding.'
          : `The message has the unknown flags ${message.flags}.`,
      );
    }
    this.#inflated?.release();
    this.#inflated = processInflation.start(message.bytes, this.#maxMessageBytes, this.#held.inflated);
    return this.#inflated.bytes;
  }

  // The way back.

  headers(metadata: MetadataRecord): void {
    if (this.#hasEnded || this.#hasResponded) return;
    const headers: Record<string, string | string[]> = {};
    addMetadata(headers, metadata);
    this.#headers = { ...ANSWER_HEADERS, ...headers };
    this.#respond();
  }

  message(bytes: Uint8Array, isLast: boolean): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    const { length } = bytes;
    this.#unsentBytes += length;
    this.#held.unsent += length;
    this.#respond();
    if (isLast) {
      this.#lastMessage = bytes;
      return undefined;
    }
    if (this.#isClosed) return undefined;
    if (writeMessage(this.#stream, bytes, () => this.#sent(length))) return undefined;
    if (this.#whenDrained === undefined) {
      this.#whenDrained = new Promise((resolve) => (this.#settleDrained = resolve));
      this.#stream.once('drain', onDrain);
    }
    return this.#whenDrained;
  }

  end(status: Status, trailers: MetadataRecord): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#feed?.stop();
    this.#inflated?.release();
    this.#countUnfinished(0);
    if (this.#isClosed || this.#stream.destroyed) return;
    try {
      if (!this.#hasResponded) {
        this.#stream.respond(
          { ...ANSWER_HEADERS, ...this.#headers, ...statusTrailers(status, trailers) },
          { endStream: true },
        );
        this.#hasResponded = true;
        this.#stopUpload();
        return;
      }
      this.#status = status;
      this.#trailers = trailers;
      if (this.#lastMessage !== undefined) writeMessage(this.#stream, this.#lastMessage);
      this.#stream.end();
    } catch (thrown) {
      this.#giveUp(thrown);
    }
  }

  sendTrailers(): void {
    try {
      const isPlain = this.#status.code === StatusCode.OK && !hasAny(this.#trailers);
      this.#stream.sendTrailers(isPlain ? OK_TRAILERS : statusTrailers(this.#status, this.#trailers ?? {}));
      this.#stopUpload();
    } catch (thrown) {
      this.#giveUp(thrown);
    }
  }

  drained(): void {
    const settle = this.#settleDrained;
    this.#whenDrained = undefined;
    this.#settleDrained = undefined;
    settle?.();
  }

  #respond(): void {
    if (this.#hasResponded || this.#isClosed || this.#stream.destroyed) return;
    this.#hasResponded = true;
    try {
      this.#stream.on('wantTrailers', onWantTrailers);
      this.#stream.respond(this.#headers ?? ANSWER_HEADERS, WITH_TRAILERS);
    } catch (thrown) {
      this.#giveUp(thrown);
    }
  }

  #countUnfinished(bytes: number): void {
    const more = bytes - this.#unfinishedBytes;
    if (more === 0) return;
    this.#held.unfinished += more;
    this.#unfinishedBytes = bytes;
    this.#held.limits?.hold(more);
  }

  #sent(bytes: number): void {
    if (this.#isClosed) return;
    this.#unsentBytes -= bytes;
    this.#held.unsent -= bytes;
  }

  /** A caller that was answered before it sent everything is told to stop sending. */
  #stopUpload(): void {
    if (this.#feed?.isComplete === true) return;
    setImmediate(() => {
      if (this.#feed?.isComplete !== true && !this.#isClosed) this.#stream.close(constants.NGHTTP2_NO_ERROR);
    });
  }

  #giveUp(thrown: unknown): void {
    this.#context.logger.warn('An answer could not be written; its call was ended.', { error: String(thrown) });
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function hasAny(record: MetadataRecord | undefined): boolean {
  for (const _key in record) return true;
  return false;
}

/** Ends a stream that never became a call. */
export function refuseStream(stream: ServerHttp2Stream, status: Status): void {
  stream.on('error', onError);
  stream.respond(
    { ...ANSWER_HEADERS, 'grpc-accept-encoding': ACCEPTED_ENCODINGS, ...statusTrailers(status, {}) },
    { endStream: true },
  );
  stream.resume();
  setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
}
