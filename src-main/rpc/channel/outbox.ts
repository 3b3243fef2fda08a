import { HIGH_WATER_BYTES, type MessagePipe } from './pipe.ts';

/** A whole message, cut into packets as it goes out; or a frame that is ready. */
type Item =
  | { readonly kind: 'frame'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly bytes: Uint8Array; offset: number };

function unsentBytes(item: Item): number {
  return item.kind === 'frame' ? item.bytes.length : item.bytes.length - item.offset;
}

export type PacketEncoder = (streamId: bigint, data: Uint8Array, eom: boolean) => Uint8Array;

/** What one stream has to send, in order. */
export class Lane {
  readonly streamId: bigint;
  readonly items: Item[] = [];
  readonly #outbox: Outbox;
  #waiting: (() => void)[] = [];

  constructor(streamId: bigint, outbox: Outbox) {
    this.streamId = streamId;
    this.#outbox = outbox;
  }

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  /** A promise where the lane did not empty at once: it settles when it has. */
  frame(bytes: Uint8Array): Promise<void> | undefined {
    return this.#add({ kind: 'frame', bytes });
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    return this.#add({ kind: 'message', bytes, offset: 0 });
  }

  /** Throws away what has not been sent. */
  clear(): void {
    for (const item of this.items) this.#outbox.forget(unsentBytes(item));
    this.items.length = 0;
    this.settle();
  }

  settle(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  #add(item: Item): Promise<void> | undefined {
    this.items.push(item);
    this.#outbox.enter(this, item.bytes.length);
    if (this.isEmpty) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

/**
 * Shares one pipe among streams: a packet of each in turn, so that one large
 * message does not hold up the small ones, and no more than 1 MiB waiting in
 * the pipe.
 */
export class Outbox {
  readonly #pipe: MessagePipe;
  readonly #packetBytes: number;
  readonly #encode: PacketEncoder;
  /** Lanes with something to send; the first is next. */
  readonly #turns = new Set<Lane>();
  #waitingBytes = 0;

  constructor(pipe: MessagePipe, packetBytes: number, encode: PacketEncoder) {
    this.#pipe = pipe;
    this.#packetBytes = packetBytes;
    this.#encode = encode;
  }

  /** Bytes of messages and frames that have not gone into the pipe. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  lane(streamId: bigint): Lane {
    return new Lane(streamId, this);
  }

  /** @param bytes how much the lane has to send more than before */
  enter(lane: Lane, bytes: number): void {
    this.#waitingBytes += bytes;
    this.#turns.add(lane);
    this.pump();
  }

  /** A lane has thrown this much away. */
  forget(bytes: number): void {
    this.#waitingBytes -= bytes;
  }

  /** Sends while the pipe takes more; to be called when the pipe drained. */
  pump(): void {
    for (const lane of this.#turns) {
      if (this.#pipe.bufferedBytes() >= HIGH_WATER_BYTES) return;
      // A lane that has more is added again and comes after all others: the loop visits it there.
      this.#turns.delete(lane);
      this.#sendNext(lane);
      if (lane.isEmpty) lane.settle();
      else this.#turns.add(lane);
    }
  }

  clear(): void {
    for (const lane of this.#turns) lane.clear();
    this.#turns.clear();
  }

  #sendNext(lane: Lane): void {
    const item = lane.items[0];
    if (item === undefined) return;
    if (item.kind === 'frame') {
      lane.items.shift();
      this.#waitingBytes -= item.bytes.length;
      this.#pipe.send(item.bytes);
      return;
    }
    const end = Math.min(item.bytes.length, item.offset + this.#packetBytes);
    const isLast = end === item.bytes.length;
    const data = item.bytes.subarray(item.offset, end);
    item.offset = end;
    this.#waitingBytes -= data.length;
    if (isLast) lane.items.shift();
    this.#pipe.send(this.#encode(lane.streamId, data, isLast));
  }
}
