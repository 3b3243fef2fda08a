import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { CloseCode, type MessagePipe } from './pipe.ts';

export interface MultiplexedPipeHooks {
  /** Takes one message along; `sent` is called when it has left this program. */
  send(bytes: Uint8Array, sent: () => void): void;
  /** This side has ended the pipe: tells the other side. */
  closed(reason: string): void;
}

/** What may wait for a reader that has paused: the stream is everybody's and cannot be held up for one. */
const MAX_WAITING_BYTES = 2 * MAX_MESSAGE_BYTES;

/** One of several pipes on a stream, identified by numbers. */
export class MultiplexedPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  readonly #hooks: MultiplexedPipeHooks;
  #buffered = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #isClosed = false;

  constructor(hooks: MultiplexedPipeHooks) {
    this.#hooks = hooks;
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#buffered += bytes.length;
    this.#hooks.send(bytes, () => {
      this.#buffered -= bytes.length;
      if (!this.#isClosed) this.onDrain();
    });
  }

  bufferedBytes(): number {
    return this.#buffered;
  }

  start(): void {
    // Messages come with those of the stream.
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && !this.#isClosed) {
      const bytes = this.#waiting.shift();
      if (bytes === undefined) return;
      this.#waitingBytes -= bytes.length;
      this.onMessage(bytes);
    }
  }

  close(_code: number, reason: string): void {
    if (this.#isClosed) return;
    this.ended(reason);
    this.#hooks.closed(reason);
  }

  /** Something came over the stream for this pipe. */
  receive(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    if (!this.#isPaused) {
      this.onMessage(bytes);
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.close(CloseCode.POLICY_VIOLATION, 'the other side does not read');
  }

  /** The other side has ended the pipe, or the stream is gone. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    this.onClose(reason);
  }
}
