/** The first bytes of a client's connection (RFC 9113, 3.4). */
export const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;
const HEADERS = 1;
const CONTINUATION = 9;
const END_HEADERS = 0x4;

/** Most bytes of a connection that are held back. */
const MAX_HELD_BYTES = 1024 * 1024;

/** A stream was opened after a later one (RFC 9113, 5.1.1: a connection error). */
export class FrameOrderError extends Error {}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Start of the next one. */
  readonly end: number;
}

/**
 * Puts the first HEADERS of a client's streams back into the order of their
 * numbers, which is the order in which they were encoded. Of the bytes of a
 * connection, from its preface on, those from a stream that comes too early are
 * kept back until the streams before it are there; nothing else is moved.
 *
 * A gRPC client sends HEADERS once a stream (grpc/grpc: doc/PROTOCOL-HTTP2.md)
 * and uses every odd number.
 */
export class StreamOrder {
  #next = 1;
  /** Bytes to pass unread: the preface, or the rest of a frame. */
  #unread = PREFACE_BYTES;
  /** The start of a frame, until its header is complete. */
  #start: Buffer = Buffer.alloc(0);
  /** Everything since the early frame. */
  #held: Buffer | undefined;

  /** Whether something is kept back. */
  get isHolding(): boolean {
    return this.#held !== undefined;
  }

  get #heldBytes(): number {
    return this.#held?.length ?? 0;
  }

  /**
   * Takes received bytes, and returns those that are next in order.
   * @throws {FrameOrderError} a stream was opened that exists already, or is no longer waited for
   */
  push(bytes: Buffer): Buffer[] {
    if (this.#held === undefined) return this.#pass(bytes);
    this.#held = Buffer.concat([this.#held, bytes]);
    const passed = this.#fill();
    return this.#heldBytes > MAX_HELD_BYTES ? [...passed, ...this.giveUp()] : passed;
  }

  /** Returns the held bytes unchanged: the missing streams will not be opened. */
  giveUp(): Buffer[] {
    const held = this.#held;
    if (held === undefined) return [];
    this.#held = undefined;
    this.#next = frameAt(held, 0)?.stream ?? this.#next;
    return this.#pass(held);
  }

  #pass(bytes: Buffer): Buffer[] {
    const all = this.#start.length === 0 ? bytes : Buffer.concat([this.#start, bytes]);
    let at = Math.min(this.#unread, all.length);
    this.#unread -= at;
    for (let frame = frameAt(all, at); frame !== undefined && this.#unread === 0; frame = frameAt(all, at)) {
      if (frame.type === HEADERS && frame.stream > this.#next) {
        this.#start = Buffer.alloc(0);
        this.#held = all.subarray(at);
        return [...some(all.subarray(0, at)), ...this.#fill()];
      }
      if (frame.type === HEADERS) this.#open(frame.stream);
      at = Math.min(frame.end, all.length);
      this.#unread = frame.end - at;
    }
    this.#start = all.subarray(at);
    return some(all.subarray(0, at));
  }

  /** Looks for the missing stream in the held bytes. */
  #fill(): Buffer[] {
    const held = this.#held ?? Buffer.alloc(0);
    for (let at = 0, frame = frameAt(held, at); frame !== undefined; at = frame.end, frame = frameAt(held, at)) {
      if (frame.type !== HEADERS || frame.stream > this.#next) continue;
      const end = endOfHeaders(held, frame);
      if (end === undefined) return [];
      this.#open(frame.stream);
      this.#held = undefined;
      return [held.subarray(at, end), ...this.#pass(Buffer.concat([held.subarray(0, at), held.subarray(end)]))];
    }
    return [];
  }

  #open(stream: number): void {
    if (stream !== this.#next) throw new FrameOrderError(`stream ${stream} was opened after stream ${this.#next - 2}`);
    this.#next += 2;
  }
}

/** @returns undefined while its header is incomplete */
function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length - at < HEAD_BYTES) return undefined;
  return {
    type: bytes.readUInt8(at + 3),
    flags: bytes.readUInt8(at + 4),
    stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
    end: at + HEAD_BYTES + bytes.readUIntBE(at, 3),
  };
}

/** End of HEADERS with their continuations; undefined while they are incomplete. */
function endOfHeaders(bytes: Buffer, first: Frame): number | undefined {
  let last: Frame | undefined = first;
  while (last !== undefined && (last.flags & END_HEADERS) === 0) {
    last = frameAt(bytes, last.end);
    if (last !== undefined && last.type !== CONTINUATION) break;
  }
  return last === undefined || last.end > bytes.length ? undefined : last.end;
}

function some(bytes: Buffer): Buffer[] {
  return bytes.length === 0 ? [] : [bytes];
}
