import { ConnectRequest } from '../../../proto/gen/core/hub/v1/part.ts';
import { encodeMessage } from '../../../proto/message.ts';
import type { RequestSink } from '../../rpc/router.ts';
import type { MessagePipe } from '../../rpc/channel/pipe.ts';

/**
 * The frames of one connection as a pipe, which carries the calls that a hub makes to
 * this machine. The same stream also brings configurations, so a pause delays those
 * too; it lasts until a handler has read its requests, or its call has ended.
 */
export class LinkPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  readonly #sink: RequestSink;
  readonly #onEnd: (reason: string) => void;
  #buffered = 0;
  #resume: (() => void) | undefined;
  #paused: Promise<void> | undefined;
  #isClosed = false;

  /** @param onEnd ends the stream: the channel received invalid data */
  constructor(sink: RequestSink, onEnd: (reason: string) => void) {
    this.#sink = sink;
    this.#onEnd = onEnd;
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const sent = this.#sink.message(encodeMessage(ConnectRequest, { message: { $case: 'frame', value: bytes } }));
    if (sent === undefined) return;
    this.#buffered += bytes.length;
    void sent.then(() => {
      this.#buffered -= bytes.length;
      if (!this.#isClosed) this.onDrain();
    });
  }

  bufferedBytes(): number {
    return this.#buffered;
  }

  start(): void {
    // Frames arrive with the stream's own messages.
  }

  pause(): void {
    this.#paused ??= new Promise((resolve) => (this.#resume = resolve));
  }

  resume(): void {
    this.#resume?.();
    this.#resume = undefined;
    this.#paused = undefined;
  }

  close(_code: number, reason: string): void {
    if (this.#isClosed) return;
    this.ended(reason);
    this.#onEnd(reason);
  }

  /** A frame arrived. A promise means: do not read more until it settles. */
  receive(bytes: Uint8Array): Promise<void> | undefined {
    if (!this.#isClosed) this.onMessage(bytes);
    return this.#paused;
  }

  /** The stream has ended. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.resume();
    this.onClose(reason);
  }
}
