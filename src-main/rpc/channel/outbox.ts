import { HIGH_WATER_BYTES, type MessagePipe } from './pipe.ts';

/** A message that is split into packets as it is sent; or a complete frame. */
type Item =
  | { readonly kind: 'frame'; readonly bytes: Uint8Array }
  | { readonly kind: 'message'; readonly bytes: Uint8Array; offset: number };

function unsentBytes(item: Item): number {
  return item.kind === 'frame' ? item.bytes.length : item.bytes.length - item.offset;
}

export type PacketEncoder = (streamId: bigint, data: Uint8Array, eom: boolean) => Uint8Array;

/** The send queue of one stream. */
export class StreamQueue {
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

  /** A promise if the queue did not empty at once: it settles when it is empty. */
  frame(bytes: Uint8Array): Promise<void> | undefined {
    return this.#add({ kind: 'frame', bytes });
  }

  message(bytes: Uint8Array): Promise<void> | undefined {
    return this.#add({ kind: 'message', bytes, offset: 0 });
  }

  /** Drops what has not been sent. */
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
 * Shares one pipe among streams: sends a packet of each in turn, so a large message does not delay small ones, and at
 * most 1 MiB waits in the pipe.
 */
export class Outbox {
  readonly #pipe: MessagePipe;
  readonly #packetBytes: number;
  readonly #encode: PacketEncoder;
  /** Queues with data to send; the first is next. */
  readonly #turns = new Set<StreamQueue>();
  #waitingBytes = 0;

  constructor(pipe: MessagePipe, packetBytes: number, encode: PacketEncoder) {
    this.#pipe = pipe;
    this.#packetBytes = packetBytes;
    this.#encode = encode;
  }

  /** Bytes of messages and frames that have not been passed to the pipe. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  queueFor(streamId: bigint): StreamQueue {
    return new StreamQueue(streamId, this);
  }

  /** @param bytes added to the queue */
  enter(queue: StreamQueue, bytes: number): void {
    this.#waitingBytes += bytes;
    this.#turns.add(queue);
    this.pump();
  }

  /** A queue has dropped so many bytes. */
  forget(bytes: number): void {
    this.#waitingBytes -= bytes;
  }

  /** Sends while the pipe accepts more; call it when the pipe has drained. */
  pump(): void {
    for (const queue of this.#turns) {
      if (this.#pipe.bufferedBytes() >= HIGH_WATER_BYTES) return;
      // A queue with more data is added again and comes after all others: the loop visits it there.
      this.#turns.delete(queue);
      this.#sendNext(queue);
      if (queue.isEmpty) queue.settle();
      else this.#turns.add(queue);
    }
  }

  clear(): void {
    for (const queue of this.#turns) queue.clear();
    this.#turns.clear();
  }

  #sendNext(queue: StreamQueue): void {
    const item = queue.items[0];
    if (item === undefined) return;
    if (item.kind === 'frame') {
      queue.items.shift();
      this.#waitingBytes -= item.bytes.length;
      this.#pipe.send(item.bytes);
      return;
    }
    const end = Math.min(item.bytes.length, item.offset + this.#packetBytes);
    const isLast = end === item.bytes.length;
    const data = item.bytes.subarray(item.offset, end);
    item.offset = end;
    this.#waitingBytes -= data.length;
    if (isLast) queue.items.shift();
    this.#pipe.send(this.#encode(queue.streamId, data, isLast));
  }
}
