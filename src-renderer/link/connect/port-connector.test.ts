import { describe, expect, it } from 'vitest';
import { portConnector } from './port-connector.ts';

describe('portConnector', () => {
  it('carries frames, counts unacknowledged bytes, and acknowledges received ones', async () => {
    const { port1, port2 } = new MessageChannel();
    const received: unknown[] = [];
    let wake = (): void => undefined;
    port2.onmessage = ({ data }: { data: unknown }) => {
      received.push(data);
      wake();
    };
    const until = async (count: number): Promise<void> => {
      while (received.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    const pipe = await portConnector(() => Promise.resolve(port1)).connect(new AbortController().signal);
    const messages: Uint8Array[] = [];
    const drained = new Promise<void>((resolve) => (pipe.onDrain = resolve));
    pipe.onMessage = (bytes) => messages.push(bytes);
    pipe.send(Uint8Array.of(1, 2, 3));
    await until(1);
    expect(received).toEqual([Uint8Array.of(1, 2, 3)]);
    expect(pipe.bufferedBytes()).toBe(3);
    port2.postMessage(3);
    await drained;
    expect(pipe.bufferedBytes()).toBe(0);
    port2.postMessage(new Uint8Array(65_536));
    await until(2);
    expect(received[1]).toBe(65_536);
    expect(messages).toHaveLength(1);
    const closed = new Promise<string>((resolve) => (pipe.onClose = resolve));
    port2.close();
    expect(await closed).toContain('closed');
  });
});
