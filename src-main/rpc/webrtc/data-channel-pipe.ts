import type { DataChannel } from 'node-datachannel';
import { CloseCode, type MessagePipe } from '../channel/pipe.ts';

/** Data bytes of one packet: with its envelope it stays below 64 KiB, which every peer takes. */
export const DATA_PACKET_BYTES = 60_000;
/** `onDrain` is worth calling once this little is left in the channel. */
const LOW_WATER_BYTES = 256 * 1_024;
/** Messages that wait for a paused channel; a peer that keeps sending is disconnected. */
const MAX_HELD_BYTES = 32 * 1_024 * 1_024;

/** A WebRTC data channel, ordered and reliable (RFC 8831), as a pipe. */
export class DataChannelPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => {};
  onDrain: () => void = () => {};
  onClose: (reason: string) => void = () => {};
  readonly #channel: DataChannel;
  /** The library goes on delivering while nothing is to be delivered. */
  readonly #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isPaused = true;
  #isClosed = false;

  constructor(channel: DataChannel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#receive(message));
    channel.setBufferedAmountLowThreshold(LOW_WATER_BYTES);
    channel.onBufferedAmountLow(() => this.onDrain());
    channel.onClosed(() => this.ended('the peer closed the data channel'));
    channel.onError((reason) => this.ended(reason));
  }

  start(): void {
    this.resume();
  }

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    try {
      this.#channel.sendMessageBinary(bytes);
    } catch {
      // It has just closed, in a thread of the library: onClosed is on its way.
    }
  }

  bufferedBytes(): number {
    return this.#isClosed ? 0 : this.#channel.bufferedAmount();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && !this.#isClosed) {
      const bytes = this.#held.shift();
      if (bytes === undefined) return;
      this.#heldBytes -= bytes.length;
      this.onMessage(bytes);
    }
  }

  close(_code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#channel.close();
    this.ended(reason);
  }

  /** To be called when the connection is gone. */
  ended(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#held.length = 0;
    this.onClose(reason);
  }

  #receive(message: string | Buffer | ArrayBuffer): void {
    if (this.#isClosed) return;
    if (typeof message === 'string') {
      this.close(CloseCode.UNSUPPORTED_DATA, 'frames are binary');
      return;
    }
    const bytes = message instanceof ArrayBuffer ? new Uint8Array(message) : message;
    if (!this.#isPaused && this.#held.length === 0) {
      this.onMessage(bytes);
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > MAX_HELD_BYTES)
      this.close(CloseCode.POLICY_VIOLATION, 'wait for the answers before calling again');
  }
}
