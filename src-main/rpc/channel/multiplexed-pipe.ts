import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { CloseCode, type MessagePipe } from './pipe.ts';

export interface MultiplexedPipeHooks {
  /** Sends one message; `sent` is called when it has left this program. */
  send(bytes: Uint8Array, sent: () => void): void;
  /** This side has closed the pipe: informs the other side. */
  closed(reason: string): void;
}

/** Most bytes that wait for a paused reader: the stream is shared and cannot be paused for one pipe. */
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
    // Messages arrive with those of the stream.
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

  /** The stream received data for this pipe. */
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

  /** The other side has closed the pipe, or the stream has ended. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#waiting = [];
    this.onClose(reason);
  }
}
