import type { Writable } from 'node:stream';
import { ArmatureError } from '../../base/errors.ts';

const PREFIX_BYTES = 5;

/** One message as received, with its flags byte (bit 0: compressed; bit 7: gRPC-Web trailers). */
export interface FramedMessage {
  readonly flags: number;
  readonly bytes: Buffer;
}

/**
 * Splits a stream of bytes into length-prefixed messages (grpc/grpc: doc/PROTOCOL-HTTP2.md). A message that arrives in
 * one piece is returned without a copy, others are copied once; no memory is reserved for bytes that were only
 * announced.
 */
export class MessageAssembler {
  readonly #maxMessageBytes: number;
  #chunks: Buffer[] = [];
  #buffered = 0;

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes;
  }

  /** Bytes that wait for the rest of their message. */
  get buffered(): number {
    return this.#buffered;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
  }

  /**
   * The next complete message, if there is one.
   * @throws ArmatureError `call.too_large` as soon as the prefix shows it
   */
  next(): FramedMessage | undefined {
    if (this.#buffered < PREFIX_BYTES) return undefined;
    let first = this.#chunks[0] as Buffer;
    if (first.length < PREFIX_BYTES) first = this.#joinPrefix();
    const length =
      ((first[1] as number) << 24) | ((first[2] as number) << 16) | ((first[3] as number) << 8) | (first[4] as number);
    // Lengths from 2 GiB on become negative.
    if (length < 0 || length > this.#maxMessageBytes) {
      throw new ArmatureError(
        'call.too_large',
        `The message has ${length >>> 0} bytes; at most ${this.#maxMessageBytes} are taken.`,
        { details: { bytes: length >>> 0, maxBytes: this.#maxMessageBytes } },
      );
    }
    const total = PREFIX_BYTES + length;
    if (this.#buffered < total) return undefined;
    const flags = first[0] as number;
    this.#buffered -= total;
    if (first.length === total) {
      this.#chunks.shift();
      return { flags, bytes: first.subarray(PREFIX_BYTES) };
    }
    if (first.length > total) {
      this.#chunks[0] = first.subarray(total);
      return { flags, bytes: first.subarray(PREFIX_BYTES, total) };
    }
    return { flags, bytes: this.#take(total).subarray(PREFIX_BYTES) };
  }

  /** Makes the first chunk hold a whole prefix; only the few bytes of it are copied. */
  #joinPrefix(): Buffer {
    const prefix = this.#take(PREFIX_BYTES);
    const rest = this.#chunks[0];
    // A short message, the usual case here, is joined with its prefix.
    if (rest !== undefined && rest.length <= 1024) this.#chunks[0] = Buffer.concat([prefix, rest]);
    else this.#chunks.unshift(prefix);
    return this.#chunks[0] as Buffer;
  }

  /** Takes `count` bytes off the front, joined. */
  #take(count: number): Buffer {
    const taken = Buffer.allocUnsafe(count);
    let filled = 0;
    let used = 0;
    while (filled < count) {
      const chunk = this.#chunks[used] as Buffer;
      const part = Math.min(chunk.length, count - filled);
      chunk.copy(taken, filled, 0, part);
      filled += part;
      if (part < chunk.length) this.#chunks[used] = chunk.subarray(part);
      else used++;
    }
    this.#chunks.splice(0, used);
    return taken;
  }
}

/** A message with its five-byte prefix in one piece. */
export function frameMessage(bytes: Uint8Array, flags: number): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length);
  writePrefix(frame, bytes.length, flags);
  frame.set(bytes, PREFIX_BYTES);
  return frame;
}

/** From this size on, a second write costs less than a copy, which needs new memory. */
const LARGE_BYTES = 16 * 1024;

/**
 * Writes a message with its prefix; a large one without a copy, so it must stay as it is until it has left.
 * @param onWritten called when it has
 * @returns as `write` does: false means wait for 'drain'
 */
export function writeMessage(stream: Writable, bytes: Uint8Array, onWritten?: () => void): boolean {
  if (bytes.length < LARGE_BYTES) return stream.write(frameMessage(bytes, 0), onWritten);
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  writePrefix(prefix, bytes.length, 0);
  stream.cork();
  stream.write(prefix);
  const isRoom = stream.write(bytes, onWritten);
  stream.uncork();
  return isRoom;
}

function writePrefix(target: Buffer, length: number, flags: number): void {
  target[0] = flags;
  target[1] = length >>> 24;
  target[2] = length >>> 16;
  target[3] = length >>> 8;
  target[4] = length;
}
