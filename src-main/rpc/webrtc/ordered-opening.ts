import type { Clock, Timer } from '../../base/clock.ts';
import { decodeRequest } from '../channel/frames.ts';
import type { MessagePipe } from '../channel/pipe.ts';

/** After this time since the start, no thread of the library still holds a frame that came with the opening. */
const OPENING_MS = 1_000;
/** Frames that are held, and streams that are known, at most: beyond that the rest comes as it came. */
const MAX_FRAMES = 256;
const MAX_HELD_BYTES = 1_048_576;

/** A frame, decoded once: a caller cannot make it cost more by letting it wait. */
interface Frame {
  readonly bytes: Uint8Array;
  /** Undefined if it waits for nothing. */
  readonly id: bigint | undefined;
  readonly kind: 'headers' | 'message' | 'end' | 'rstStream' | undefined;
}

function readFrame(bytes: Uint8Array): Frame {
  try {
    const { stream, type } = decodeRequest(bytes);
    const isEnd = type?.$case === 'message' && !type.value.hasMessage;
    return { bytes, id: stream?.id, kind: isEnd ? 'end' : type?.$case };
  } catch {
    return { bytes, id: undefined, kind: undefined }; // whoever reads it says so
  }
}

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
  /** Streams whose header has been passed on, and those of them with a message. */
  readonly #begun = new Set<bigint>();
  readonly #asked = new Set<bigint>();
  #held: Frame[] = [];
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
    this.#held.push(readFrame(bytes));
    this.#heldBytes += bytes.length;
    this.#deliver();
    const { size } = this.#begun;
    if (this.#held.length > MAX_FRAMES || this.#heldBytes > MAX_HELD_BYTES || size > MAX_FRAMES) this.#end();
  }

  /** Passes on whatever waits for nothing, again after each, because another may have waited for it. */
  #deliver(): void {
    for (;;) {
      const index = this.#held.findIndex((frame) => this.#isDue(frame));
      const [frame] = index < 0 ? [] : this.#held.splice(index, 1);
      if (frame === undefined) return;
      const { bytes, id, kind } = frame;
      if (id !== undefined && kind === 'headers') this.#begun.add(id);
      if (id !== undefined && kind === 'message') this.#asked.add(id);
      this.#heldBytes -= bytes.length;
      this.onMessage(bytes);
    }
  }

  #isDue({ id, kind }: Frame): boolean {
    if (id === undefined || kind === undefined || kind === 'headers') return true;
    return kind === 'end' ? this.#asked.has(id) : this.#begun.has(id);
  }

  /** From now on every frame is passed on as it comes. */
  #end(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#begun.clear();
    this.#asked.clear();
    this.#heldBytes = 0;
    for (const { bytes } of this.#held.splice(0)) this.onMessage(bytes);
  }
}
