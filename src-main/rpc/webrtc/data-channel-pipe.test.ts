import type { DataChannel } from 'node-datachannel';
import { beforeEach, describe, expect, it } from 'vitest';
import { DataChannelPipe } from './data-channel-pipe.ts';

/** A channel of the library, which closes in a thread of its own: it may be closed before it says so. */
class FakeChannel {
  isNativeOpen = true;
  closes = 0;
  readonly sent: Uint8Array[] = [];
  receive: (message: string | Buffer) => void = () => undefined;

  onMessage(listener: (message: string | Buffer) => void): void {
    this.receive = listener;
  }

  setBufferedAmountLowThreshold(): void {
    // It receives nothing here.
  }

  onBufferedAmountLow(): void {
    // Nor of this.
  }

  onClosed(): void {
    // Nor of this.
  }

  onError(): void {
    // Nor of this.
  }

  isOpen(): boolean {
    return true;
  }

  sendMessageBinary(bytes: Uint8Array): boolean {
    if (!this.isNativeOpen) throw new Error('DataChannel is closed');
    this.sent.push(bytes);
    return true;
  }

  close(): void {
    this.closes++;
  }
}

describe('a data channel as a pipe', () => {
  let channel: FakeChannel;
  let pipe: DataChannelPipe;
  let received: number[];
  let closed: string[];

  beforeEach(() => {
    channel = new FakeChannel();
    pipe = new DataChannelPipe(channel as unknown as DataChannel);
    [received, closed] = [[], []];
    pipe.onMessage = (bytes) => received.push(bytes[0] ?? -1);
    pipe.onClose = (reason) => closed.push(reason);
  });

  it('holds what comes before it is started, and while it is paused, and delivers it in order', () => {
    channel.receive(Buffer.of(1));
    expect(received).toEqual([]);
    pipe.start();
    channel.receive(Buffer.of(2));
    pipe.pause();
    channel.receive(Buffer.of(3));
    channel.receive(Buffer.of(4));
    expect(received).toEqual([1, 2]);
    pipe.resume();
    expect(received).toEqual([1, 2, 3, 4]);
  });

  it('survives a channel that closes in the middle of sending', () => {
    pipe.start();
    pipe.send(Buffer.of(1));
    channel.isNativeOpen = false;
    expect(() => pipe.send(Buffer.of(2))).not.toThrow();
    expect(channel.sent).toHaveLength(1);
  });

  it('is closed for text, and for a peer that goes on sending while nothing is read', () => {
    const mebibytes = Buffer.alloc(1_024 * 1_024);
    for (let count = 0; count < 32; count++) channel.receive(mebibytes);
    expect(closed).toEqual([]);
    channel.receive(Buffer.of(1));
    expect(closed).toEqual(['wait for the answers before calling again']);
    channel = new FakeChannel();
    const other = new DataChannelPipe(channel as unknown as DataChannel);
    other.onClose = (reason) => closed.push(reason);
    channel.receive('text');
    channel.receive('more');
    expect([closed.at(-1), channel.closes]).toEqual(['frames are binary', 1]);
  });
});
