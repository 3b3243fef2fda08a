import type { Accepted, ConnectResponse, StoredConfig } from '../../../proto/gen/core/hub/v1/part.ts';
import { CloseCode, type MessagePipe } from '../../rpc/channel/pipe.ts';

interface Frame {
  readonly message: Extract<ConnectResponse['message'], { $case: 'frame' | 'channelFrame' }>;
  readonly sent: () => void;
}

/**
 * Messages that wait to be sent to one part; its stream takes them as fast as the part reads. Only the newest
 * configuration waits; frames wait in order, and their sender can see how many bytes are waiting.
 */
export class StreamOutbox implements AsyncIterableIterator<ConnectResponse>, MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  #accepted: Accepted | undefined;
  #config: StoredConfig | undefined;
  #restarts = false;
  readonly #frames: Frame[] = [];
  #frameBytes = 0;
  #waiting: { resolve: (result: IteratorResult<ConnectResponse>) => void; reject: (why: unknown) => void } | undefined;
  #end: { readonly failure: Error | undefined } | undefined;

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sent before anything else that waits. */
  accept(accepted: Accepted): void {
    this.#accepted = accepted;
    this.#wake();
  }

  config(stored: StoredConfig): void {
    if (this.#config !== undefined && this.#config.number > stored.number) return;
    this.#config = stored;
    this.#wake();
  }

  restart(): void {
    this.#restarts = true;
    this.#wake();
  }

  /** Ends the stream; waiting messages are discarded. */
  end(failure?: Error): void {
    if (this.#end !== undefined) return;
    this.#end = { failure };
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (failure === undefined) waiting?.resolve({ value: undefined, done: true });
    else waiting?.reject(failure);
    this.onClose(failure?.message ?? 'the part is not connected');
  }

  // Frames: the `MessagePipe` for calls to the part.

  send(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#frameBytes += bytes.length;
    this.frame({ $case: 'frame', value: bytes }, () => {
      this.#frameBytes -= bytes.length;
      this.onDrain();
    });
  }

  /** Sends a frame of any channel, in order with all other frames; `sent` is called when it has left. */
  frame(message: Frame['message'], sent: () => void): void {
    if (this.#end !== undefined) return;
    this.#frames.push({ message, sent });
    this.#wake();
  }

  bufferedBytes(): number {
    return this.#frameBytes;
  }

  start(): void {
    // Frames arrive with the requests of the stream.
  }

  pause(): void {
    // Answers of a part are small, so reading is never paused.
  }

  resume(): void {
    // See `pause`.
  }

  close(code: number, reason: string): void {
    this.end(code === CloseCode.GOING_AWAY ? undefined : new Error(reason));
  }

  // Reading: used by the stream.

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<ConnectResponse>> {
    if (this.#end !== undefined) {
      const { failure } = this.#end;
      return failure === undefined ? Promise.resolve({ value: undefined, done: true }) : Promise.reject(failure);
    }
    const value = this.#take();
    if (value !== undefined) return Promise.resolve({ value, done: false });
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }));
  }

  return(): Promise<IteratorResult<ConnectResponse>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  #take(): ConnectResponse | undefined {
    if (this.#accepted !== undefined) {
      const value = this.#accepted;
      this.#accepted = undefined;
      return { message: { $case: 'accepted', value } };
    }
    if (this.#config !== undefined) {
      const value = this.#config;
      this.#config = undefined;
      return { message: { $case: 'config', value } };
    }
    const frame = this.#frames.shift();
    if (frame !== undefined) {
      queueMicrotask(frame.sent);
      return { message: frame.message };
    }
    if (!this.#restarts) return undefined;
    this.#restarts = false;
    return { message: { $case: 'restart', value: {} } };
  }

  #wake(): void {
    if (this.#waiting === undefined) return;
    const value = this.#take();
    if (value === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve({ value, done: false });
  }
}
