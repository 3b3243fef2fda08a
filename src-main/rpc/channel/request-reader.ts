import type { Clock, Timer } from '../../base/clock.ts';
import type { RequestSink } from '../router.ts';

/** Most complete messages that may wait for a handler before the pipe is paused. */
const PAUSE_AT_BYTES = 1_048_576;
/** Cost of a waiting message besides its bytes, so that empty ones count too. */
const OVERHEAD_BYTES = 64;
/** A handler that reads nothing for this long while the pipe is paused for it loses its call. */
const STALL_MS = 30_000;

export interface ReaderHooks {
  /** The pipe should pause, or may continue as far as this stream is concerned. */
  setPaused(isPaused: boolean): void;
  /** The handler does not read what its caller sends. */
  stalled(): void;
}

/** Passes complete messages to a sink at the pace of the sink. */
export class RequestReader {
  readonly #sink: RequestSink;
  readonly #clock: Clock;
  readonly #hooks: ReaderHooks;
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #isBusy = false;
  #halfClosed = false;
  #isPaused = false;
  #stall: Timer | undefined;

  constructor(sink: RequestSink, clock: Clock, hooks: ReaderHooks) {
    this.#sink = sink;
    this.#clock = clock;
    this.#hooks = hooks;
  }

  message(bytes: Uint8Array): void {
    if (!this.#isBusy) {
      this.#deliver(bytes);
      return;
    }
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length + OVERHEAD_BYTES;
    if (this.#queuedBytes > PAUSE_AT_BYTES) this.#pause();
  }

  halfClose(): void {
    this.#halfClosed = true;
    if (!this.#isBusy) this.#sink.halfClose();
  }

  /** The call is over: drops waiting messages. */
  stop(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#resume();
  }

  #deliver(bytes: Uint8Array): void {
    const taken = this.#sink.message(bytes);
    if (taken === undefined) return;
    this.#isBusy = true;
    // The responder reports why a sink could not take a message.
    const next = (): void => this.#next();
    taken.then(next, next);
  }

  #next(): void {
    this.#isBusy = false;
    for (;;) {
      const bytes = this.#queue.shift();
      if (bytes === undefined) break;
      this.#queuedBytes -= bytes.length + OVERHEAD_BYTES;
      this.#restartStallTimer();
      this.#deliver(bytes);
      if (this.#isBusy) break;
    }
    if (this.#queuedBytes <= PAUSE_AT_BYTES) this.#resume();
    if (!this.#isBusy && this.#halfClosed) this.#sink.halfClose();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#hooks.setPaused(true);
    this.#restartStallTimer();
  }

  #resume(): void {
    this.#stall?.cancel();
    this.#stall = undefined;
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#hooks.setPaused(false);
  }

  #restartStallTimer(): void {
    if (!this.#isPaused) return;
    this.#stall?.cancel();
    this.#stall = this.#clock.after(STALL_MS, () => this.#hooks.stalled());
  }
}
