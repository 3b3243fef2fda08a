import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../base/clock.ts';
import { protocolOf } from './protocol-sniffer.ts';
import { FrameOrderError, PREFACE_BYTES, StreamOrder } from '../grpc/stream-order.ts';

/** Two threads of a process that share a connection write within milliseconds of each other; this is for a busy computer. */
const MISSING_AFTER_MS = 1_000;

const SETTINGS_HEAD_BYTES = 9;
const SETTING_BYTES = 6;
/** SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 8441, 3), for a server to say; hyper-h2 says it as a client too. */
const ENABLE_CONNECT_PROTOCOL = 8;

/**
 * Tells by a connection's first bytes whether it is by Python's hyper-h2, the
 * HTTP/2 of grpclib. Undefined while it may still turn out either way.
 */
export function isHyperH2(first: Buffer): boolean | undefined {
  const protocol = protocolOf(first);
  if (protocol !== 'http2') return protocol === undefined ? undefined : false;
  const begin = PREFACE_BYTES + SETTINGS_HEAD_BYTES;
  if (first.length < begin) return undefined;
  const end = begin + first.readUIntBE(PREFACE_BYTES, 3);
  if (first.length < end) return undefined;
  for (let at = begin; at + SETTING_BYTES <= end; at += SETTING_BYTES) {
    if (first.readUInt16BE(at) === ENABLE_CONNECT_PROTOCOL) return true;
  }
  return false;
}

/**
 * A client's HTTP/2 connection on which two threads may have opened streams
 * at once: they are read in the order of their numbers.
 *
 * The public Python SDK logs from a thread of its own over the connection on
 * which the module calls the machine (viam-sdk 0.85.1, logging.py), which its
 * HTTP/2 was not made for: the HEADERS of stream 7 may be written before those
 * of stream 5. nghttp2 ignores the latter without a word
 * (nghttp2/nghttp2#2278), so that the call would wait for its answer forever.
 */
export class OrderedSocket extends Duplex {
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #order = new StreamOrder();
  readonly #onOutOfOrder: (error: FrameOrderError) => void;
  #patience: Timer | undefined;

  /**
   * Takes the socket over. Its errors remain for the socket's owner: it never fails, only closes.
   * @param onOutOfOrder called with the reason when it closes because a stream arrived that was no longer waited for
   */
  constructor(socket: Socket, clock: Clock, onOutOfOrder: (error: FrameOrderError) => void) {
    super();
    this.#socket = socket;
    this.#clock = clock;
    this.#onOutOfOrder = onOutOfOrder;
    socket.on('data', (bytes: Buffer) => this.#take(() => this.#order.push(bytes)));
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#socket.write(chunk, () => done());
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#patience?.cancel();
    this.#socket.destroy();
    done(error);
  }

  #take(step: () => Buffer[]): void {
    try {
      for (const bytes of step()) if (!this.push(bytes)) this.#socket.pause();
    } catch (thrown) {
      if (!(thrown instanceof FrameOrderError)) throw thrown;
      this.#onOutOfOrder(thrown);
      this.destroy();
      return;
    }
    if (!this.#order.isHolding) {
      this.#patience?.cancel();
      this.#patience = undefined;
    } else {
      this.#patience ??= this.#clock.after(MISSING_AFTER_MS, () => {
        this.#patience = undefined;
        this.#take(() => this.#order.giveUp());
      });
    }
  }
}
