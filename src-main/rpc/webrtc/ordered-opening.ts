import type { Request } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import { decodeRequest } from '../channel/frames.ts';
import type { MessagePipe } from '../channel/pipe.ts';

/** After this time since the start, no thread of the library still holds a frame that came with the opening. */
const OPENING_MS = 1_000;
/** Frames that are held, and streams that are known, at most: beyond that the rest comes as it came. */
const MAX_FRAMES = 256;
const MAX_HELD_BYTES = 1_048_576;

/**
 * The requests of a data channel in the order in which they were sent.
 *
 * While a channel opens, libdatachannel passes on what has come already in one thread, and what comes meanwhile in
 * another (`Channel::flushPendingMessages`, which takes no lock). So one of the first frames may come after later ones: a
 * header after its request, or a request after the end of all requests. Such frames wait for the one before them. Two
 * messages of one stream that changed places cannot be told from two that did not.
 */
export class OrderedOpening implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => {};
  onDrain: () => void = () => {};
  onClose: (reason: string) => void = () => {};
  readonly #pipe: MessagePipe;
  readonly #clock: Clock;
  /** The streams whose header has come, and whether a message has. */
  readonly #streams = new Map<bigint, { hasMessage: boolean }>();
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isOver = false;
  #timer: Timer | undefined;

  constructor(pipe: MessagePipe, clock: Clock) {
    this.#pipe = pipe;
    this.#clock = clock;
    pipe.onMessage = (bytes) => this.#receive(bytes);
    pipe.onDrain = () => this.onDrain();
    pipe.onClose = (reason) => {
      this.#timer?.cancel();
      this.#held = [];
      this.onClose(reason);
    };
  }

  send(bytes: Uint8Array): void {
    this.#pipe.send(bytes);
  }

  bufferedBytes(): number {
    return this.#pipe.bufferedBytes();
  }

  start(): void {
    this.#timer = this.#clock.after(OPENING_MS, () => this.#end());
    this.#pipe.start();
  }

  pause(): void {
    this.#pipe.pause();
  }

  resume(): void {
    this.#pipe.resume();
  }

  close(code: number, reason: string): void {
    this.#pipe.close(code, reason);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isOver) {
      this.onMessage(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#deliver();
    const { size } = this.#streams;
    if (this.#held.length > MAX_FRAMES || this.#heldBytes > MAX_HELD_BYTES || size > MAX_FRAMES) this.#end();
  }

  /** Passes on whatever waits for nothing, again after each, because another may have waited for it. */
  #deliver(): void {
    for (;;) {
      const index = this.#held.findIndex((bytes) => this.#isDue(bytes));
      const [bytes] = index < 0 ? [] : this.#held.splice(index, 1);
      if (bytes === undefined) return;
      this.#heldBytes -= bytes.length;
      this.onMessage(bytes);
    }
  }

  #isDue(bytes: Uint8Array): boolean {
    let frame: Request;
    try {
      frame = decodeRequest(bytes);
    } catch {
      return true; // whoever reads it says so
    }
    const { stream: { id } = {}, type } = frame;
    if (id === undefined || type === undefined) return true;
    if (type.$case === 'headers') {
      if (!this.#streams.has(id)) this.#streams.set(id, { hasMessage: false });
      return true;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return false;
    if (type.$case !== 'message') return true;
    stream.hasMessage ||= type.value.hasMessage;
    return stream.hasMessage;
  }

  /** From now on every frame is passed on as it comes. */
  #end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#streams.clear();
    this.#heldBytes = 0;
    for (const bytes of this.#held.splice(0)) this.onMessage(bytes);
  }
}
