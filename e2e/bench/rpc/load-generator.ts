import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import {
  flags,
  FRAME_HEADER_BYTES,
  frameOf,
  frameTypes,
  postBlocks,
  PREFACE,
  settingsFrame,
  windowUpdateFrame,
} from './http2-frames.ts';
import { quantile } from '../statistics.ts';
import { framed } from './one-call.ts';

/** Options of one run of the generator. */
export interface LoadOptions {
  /** A port of this computer, or the path of a Unix socket. */
  readonly port: number | string;
  /** Path of the unary method, with its leading slash. */
  readonly path: string;
  /** The request message, without its gRPC prefix. */
  readonly message: readonly number[];
  /** Number of concurrent calls, all on one connection. */
  readonly inFlight: number;
  /** Authenticates the caller: a server may allow fewer concurrent calls without it. */
  readonly token?: string | undefined;
  /** Set where it is not HTTP/2: a WebRTC data channel, for which the server itself signals at its port. */
  readonly carrier?: 'webrtc' | undefined;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly calls: number;
  readonly callsPerSecond: number;
  /** From the writing of a call until its end was read, milliseconds. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Calls that ended without an answer, or with trailers other than the first call's. */
  readonly failures: number;
}

const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
const HEADER_TABLE_SIZE = 1;
const ENABLE_PUSH = 2;
const MAX_CONCURRENT_STREAMS = 3;
const INITIAL_WINDOW_SIZE = 4;
const SETTING_BYTES = 6;

/** @param tookMs duration of each call */
export function loadResult(tookMs: readonly number[], durationMs: number, failures: number): LoadResult {
  return {
    calls: tookMs.length,
    callsPerSecond: (tookMs.length / durationMs) * 1_000,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
    failures,
  };
}

/**
 * Keeps a number of unary gRPC calls in flight on one connection and counts answers. It writes and reads frames itself:
 * with an HTTP/2 library the load would cost as much as the server and hide the difference between servers. Compression
 * of the answers' headers is off, so that equal trailers have equal bytes; the caller makes sure that a call of this
 * kind succeeds.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { port } = options;
  const socket = typeof port === 'string' ? connect(port) : connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  try {
    return await new Load(socket, options).run();
  } finally {
    socket.destroy();
  }
}

class Load {
  readonly #socket: Socket;
  readonly #options: LoadOptions;
  /** A whole call except for its stream id, which occurs in two places. */
  readonly #template: Buffer;
  readonly #firstCall: Buffer;
  readonly #dataAt: number;
  readonly #callDataBytes: number;
  /** Streams whose answer has arrived, but not its trailers. */
  readonly #answered = new Set<number>();
  #trailers: Buffer | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #nextStream = 1;
  /** Indexed by half the id of the stream. */
  readonly #startedAt: number[] = [];
  readonly #took: number[] = [];
  #sendWindow = FIRST_WINDOW;
  #underWay = 0;
  /** The server's limit of concurrent calls. Until it is known, one call is under way. */
  #streamLimit = 1;
  #failures = 0;

  constructor(socket: Socket, options: LoadOptions) {
    this.#socket = socket;
    this.#options = options;
    const blocks = postBlocks([
      [':path', options.path],
      [':authority', typeof options.port === 'string' ? 'localhost' : `127.0.0.1:${options.port}`],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ...(options.token === undefined ? [] : ([['authorization', `Bearer ${options.token}`]] as const)),
    ]);
    const message = framed(options.message);
    const data = frameOf(frameTypes.data, flags.endStream, 0, message);
    this.#callDataBytes = message.length;
    const call = (block: Buffer): Buffer =>
      Buffer.concat([frameOf(frameTypes.headers, flags.endHeaders, 0, block), data]);
    this.#firstCall = call(blocks.first);
    this.#template = call(blocks.later);
    this.#dataAt = FRAME_HEADER_BYTES + blocks.later.length;
  }

  run(): Promise<LoadResult> {
    const { durationMs, inFlight } = this.#options;
    const startedAt = performance.now();
    const endAt = startedAt + durationMs;
    return new Promise((resolve, reject) => {
      this.#socket.on('error', reject);
      this.#socket.on('close', () => reject(new Error('the server closed the connection under load')));
      this.#socket.on('data', (chunk: Buffer) => {
        try {
          this.#read(chunk);
          const free = Math.min(inFlight, this.#streamLimit) - this.#underWay;
          if (performance.now() < endAt) {
            if (free > 0) this.#socket.write(this.#newCalls(free));
          } else if (this.#underWay === 0) {
            resolve(loadResult(this.#took, performance.now() - startedAt, this.#failures));
          }
        } catch (thrown) {
          reject(thrown);
        }
      });
      const settings = settingsFrame([
        [HEADER_TABLE_SIZE, 0],
        [ENABLE_PUSH, 0],
        // Answers of any size arrive without further window updates.
        [INITIAL_WINDOW_SIZE, LARGEST_WINDOW],
      ]);
      const opening = [PREFACE, settings, windowUpdateFrame(LARGEST_WINDOW - FIRST_WINDOW)];
      this.#socket.write(Buffer.concat([...opening, this.#newCalls(1)]));
    });
  }

  #newCalls(count: number): Buffer {
    this.#underWay += count;
    this.#sendWindow -= count * this.#callDataBytes;
    if (this.#sendWindow < 0) throw new Error('the server does not widen the window of the connection');
    const now = performance.now();
    for (let index = 0; index < count; index++) this.#startedAt.push(now);
    return Buffer.concat(Array.from({ length: count }, () => this.#newCall()));
  }

  #newCall(): Buffer {
    const isFirst = this.#nextStream === 1;
    const call = Buffer.from(isFirst ? this.#firstCall : this.#template);
    call.writeUInt32BE(this.#nextStream, 5);
    call.writeUInt32BE(
      this.#nextStream,
      (isFirst ? call.length - (this.#template.length - this.#dataAt) : this.#dataAt) + 5,
    );
    this.#nextStream += 2;
    return call;
  }

  /** Processes received bytes. */
  #read(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER_BYTES) {
      const end = at + FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + FRAME_HEADER_BYTES, end);
      this.#frame(bytes[at + 3] as number, bytes[at + 4] as number, bytes.readUInt32BE(at + 5), payload);
      at = end;
    }
    this.#rest = bytes.subarray(at);
  }

  #frame(type: number, frameFlags: number, stream: number, payload: Buffer): void {
    switch (type) {
      case frameTypes.data:
        this.#answered.add(stream);
        if ((frameFlags & flags.endStream) !== 0) this.#ended(stream, false);
        return;
      case frameTypes.headers: {
        if ((frameFlags & flags.endStream) === 0) return;
        this.#trailers ??= Buffer.from(payload);
        this.#ended(stream, this.#answered.delete(stream) && this.#trailers.equals(payload));
        return;
      }
      case frameTypes.reset:
        this.#ended(stream, false);
        return;
      case frameTypes.settings:
        if ((frameFlags & flags.ack) === 0) this.#settings(payload);
        return;
      case frameTypes.ping:
        if ((frameFlags & flags.ack) === 0) this.#socket.write(frameOf(frameTypes.ping, flags.ack, 0, payload));
        return;
      case frameTypes.windowUpdate:
        if (stream === 0) this.#sendWindow += payload.readUInt32BE(0);
        return;
      case frameTypes.goAway:
        throw new Error(`the server ended the connection under load: ${payload.subarray(8).toString()}`);
      default:
    }
  }

  #settings(payload: Buffer): void {
    // A server that sends no limit has none.
    if (this.#streamLimit === 1) this.#streamLimit = Number.POSITIVE_INFINITY;
    for (let at = 0; at + SETTING_BYTES <= payload.length; at += SETTING_BYTES) {
      if (payload.readUInt16BE(at) === MAX_CONCURRENT_STREAMS) this.#streamLimit = payload.readUInt32BE(at + 2);
    }
    this.#socket.write(frameOf(frameTypes.settings, flags.ack, 0, Buffer.alloc(0)));
  }

  #ended(stream: number, isGood: boolean): void {
    this.#took.push(performance.now() - (this.#startedAt[stream >> 1] ?? Number.NaN));
    this.#underWay--;
    if (!isGood) this.#failures++;
  }
}
