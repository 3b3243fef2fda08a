import { describe, expect, it } from 'vitest';
import { Request, Response } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { OK } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import type { CallHead, RequestSink, Responder } from '../router.ts';
import { servePort, type MainPort } from './message-port.ts';

/** Electron's end of a port, driven by the test. */
class FakePort implements MainPort {
  readonly posted: unknown[] = [];
  isStarted = false;
  isClosed = false;
  #onMessage: (event: { readonly data: unknown }) => void = () => {};
  #onClose: () => void = () => {};

  on(event: 'message' | 'close', listener: ((event: { readonly data: unknown }) => void) | (() => void)): this {
    if (event === 'message') this.#onMessage = listener;
    else this.#onClose = listener as () => void;
    return this;
  }

  postMessage(message: unknown): void {
    this.posted.push(message);
  }

  start(): void {
    this.isStarted = true;
  }

  close(): void {
    this.isClosed = true;
  }

  receive(data: unknown): void {
    this.#onMessage({ data });
  }

  windowClosed(): void {
    this.#onClose();
  }

  get frames(): Response[] {
    return this.posted.flatMap((each) => (each instanceof Uint8Array ? [Response.decode(each)] : []));
  }
}

function setUp() {
  const port = new FakePort();
  const connections: Connection[] = [];
  const calls: { head: CallHead; responder: Responder; cancelled: boolean; taken: Promise<void> | undefined }[] = [];
  const router = {
    start(head: CallHead, responder: Responder): RequestSink {
      const call = { head, responder, cancelled: false, taken: undefined as Promise<void> | undefined };
      calls.push(call);
      return { message: () => call.taken, halfClose() {}, cancel: () => void (call.cancelled = true) };
    },
  };
  servePort(port, {
    router,
    clock: new ManualClock(),
    logger: silentLogger,
    onConnection: (connection) => connections.push(connection),
  });
  const send = (type: Request['type']): void => port.receive(Request.encode({ stream: { id: 1n }, type }).finish());
  const open = (): void =>
    send({ $case: 'headers', value: { method: '/p.S/M', metadata: undefined, timeout: undefined } });
  const message = (data: Uint8Array): void =>
    send({ $case: 'message', value: { hasMessage: true, packetMessage: { data, eom: true }, eos: false } });
  return { port, connections, calls, open, message };
}

describe('a channel over a message port', () => {
  it('serves calls on a connection that was trusted before the first of them', () => {
    const { port, connections, calls, open, message } = setUp();
    expect(port.isStarted).toBe(true);
    expect(connections).toHaveLength(1);
    open();
    message(Uint8Array.of(1));
    expect(calls[0]?.head.connection).toBe(connections[0]);
    void calls[0]?.responder.message(Uint8Array.of(2), true);
    calls[0]?.responder.end(OK, {});
    expect(port.frames.map(({ type }) => type?.$case)).toEqual(['headers', 'message', 'trailers']);
  });

  it('sends no more than 1 MiB that the window has not taken', async () => {
    const { port, calls, open } = setUp();
    open();
    const sent = calls[0]?.responder.message(new Uint8Array(3_000_000), true);
    const before = port.frames.length;
    expect(before).toBeLessThan(20);
    port.receive(1_000_000);
    expect(port.frames.length).toBeGreaterThan(before);
    port.receive(1_000_000);
    port.receive(1_000_000);
    await sent;
    expect(port.frames.at(-1)?.type).toMatchObject({ value: { packetMessage: { eom: true } } });
  });

  it('acknowledges what it took, and nothing while a handler does not read', () => {
    const { port, calls, open, message } = setUp();
    const acknowledged = (): number =>
      port.posted.reduce<number>((sum, each) => sum + (typeof each === 'number' ? each : 0), 0);
    open();
    message(new Uint8Array(100_000));
    expect(acknowledged()).toBeGreaterThan(100_000);
    const before = acknowledged();
    const call = calls[0];
    if (call !== undefined) call.taken = new Promise(() => undefined);
    message(new Uint8Array(1));
    for (let i = 0; i < 3; i++) message(new Uint8Array(600_000));
    expect(acknowledged()).toBeLessThan(before + 1_300_000);
  });

  it.each<[string, (port: FakePort) => void]>([
    ['the window closes', (port) => port.windowClosed()],
    ['something that is no frame comes', (port) => port.receive('text')],
  ])('ends its calls when %s', (_title, end) => {
    const { port, connections, calls, open } = setUp();
    open();
    end(port);
    expect(calls[0]?.cancelled).toBe(true);
    expect(connections[0]?.isClosed).toBe(true);
  });
});
