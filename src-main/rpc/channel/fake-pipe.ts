import type { MessagePipe } from './pipe.ts';

/** A pipe for tests: it stores what was sent; the test decides what the peer sends and when the pipe drains. */
export class FakePipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => {};
  onDrain: () => void = () => {};
  onClose: (reason: string) => void = () => {};
  readonly sent: Uint8Array[] = [];
  isStarted = false;
  isPaused = false;
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** When set, what is sent stays buffered until `drain`. */
  holdsBack = false;
  #buffered = 0;

  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
    if (this.holdsBack) this.#buffered += bytes.length;
  }

  bufferedBytes(): number {
    return this.#buffered;
  }

  start(): void {
    this.isStarted = true;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
    this.onClose(reason);
  }

  /** The peer has taken everything. */
  drain(): void {
    this.#buffered = 0;
    this.onDrain();
  }
}
