import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import type { ServerCall } from '../call.ts';
import type { ServiceHandlers } from '../service.ts';
import { echo, echoPath, echoService, echoType, encodeEcho } from '../testing/echo-service.ts';
import { callOnce, RecordedCall, startCall } from '../testing/local-caller.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { ChannelClient } from './channel-client.ts';
import { ChannelServer } from './channel-server.ts';
import { CloseCode, type MessagePipe } from './pipe.ts';

/** One end of a pipe in memory. What is sent arrives later, in order, unless the other end is paused. */
class PairedPipe implements MessagePipe {
  onMessage: (bytes: Uint8Array) => void = () => undefined;
  onDrain: () => void = () => undefined;
  onClose: (reason: string) => void = () => undefined;
  peer!: PairedPipe;
  isPaused = false;
  readonly #inbox: Uint8Array[] = [];
  #isClosed = false;

  send(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.peer.#inbox.push(bytes);
    queueMicrotask(() => this.peer.#deliver());
  }

  bufferedBytes(): number {
    return this.peer.#inbox.reduce((sum, { length }) => sum + length, 0);
  }

  start(): void {
    this.#deliver();
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.#deliver();
  }

  close(_code: number, reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose(reason);
    this.peer.close(CloseCode.GOING_AWAY, reason);
  }

  #deliver(): void {
    while (!this.isPaused && !this.#isClosed) {
      const bytes = this.#inbox.shift();
      if (bytes === undefined) return;
      this.onMessage(bytes);
      this.peer.onDrain();
    }
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A client whose calls a router answers. */
function setUp(handlers: ServiceHandlers<typeof echoService> = {}, packetBytes = 100) {
  const clock = new ManualClock();
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addService(echoService, { say: (message) => message, ...handlers });
  const near = new PairedPipe();
  const far = new PairedPipe();
  near.peer = far;
  far.peer = near;
  const connection = new TrackedConnection({ remoteAddress: '127.0.0.1' }, 'channel', false, true);
  new ChannelServer(far, connection, { router, clock, logger: silentLogger, packetBytes });
  const closed: string[] = [];
  const client = new ChannelClient(near, { clock, packetBytes, onClosed: (reason) => closed.push(reason) });
  return { clock, router, client, near, far, closed };
}

describe('the client of a channel', () => {
  it('any messages come back whole and in order, whatever the packets', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 500 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (payloads, packetBytes) => {
          const { client } = setUp(
            {
              async *chat(requests) {
                yield* requests;
              },
            },
            packetBytes,
          );
          const call = startCall(client, echoPath('Chat'));
          for (const payload of payloads) await call.sink.message(encodeEcho(echo('left', 0, payload)));
          call.sink.halfClose();
          expect(await call.ended).toMatchObject({ code: StatusCode.OK });
          expect(call.messages.map((bytes) => [...echoType.decode(bytes).payload])).toEqual(
            payloads.map((payload) => [...payload]),
          );
        },
      ),
      { numRuns: 50 },
    );
  });

  it('passes metadata on, and gets headers, status and trailers back', async () => {
    let seen: ServerCall | undefined;
    const { client, clock } = setUp({
      say(message, call) {
        seen = call;
        call.setHeader('x-answer', 'yes');
        call.trailers['x-end'] = 'done';
        return message;
      },
    });
    const metadata = { 'x-who': 'hub', 'content-type': 'application/grpc', ':path': '/x' };
    const call = callOnce(client, echoPath('Say'), encodeEcho(echo('left')), { metadata, timeoutMs: 1_500 });
    await call.ended;
    expect({ ...seen?.metadata }).toEqual({ 'x-who': 'hub' });
    expect(seen?.deadline).toBe(clock.monotonic() + 1_500);
    expect([call.headerRecord?.['x-answer'], call.trailers['x-end']]).toEqual(['yes', 'done']);
  });

  it('an error keeps its code and its sentence', async () => {
    const { client } = setUp();
    const call = callOnce(client, '/core.test.v1.EchoService/Nothing', new Uint8Array());
    expect(await call.ended).toMatchObject({ code: StatusCode.UNIMPLEMENTED });
  });

  it('a deadline ends the call here and at the peer', async () => {
    let peer: ServerCall | undefined;
    const { client, clock, router } = setUp({
      say: (_message, call) => {
        peer = call;
        return new Promise((_resolve, reject) => {
          call.signal.addEventListener('abort', () => reject(new Error('over')));
        });
      },
    });
    const call = callOnce(client, echoPath('Say'), encodeEcho(echo('left')), { timeoutMs: 2_000 });
    await tick();
    clock.advance(2_000);
    expect(await call.ended).toEqual({ code: StatusCode.DEADLINE_EXCEEDED, message: 'no answer within 2 s' });
    await tick();
    expect([peer?.isCancelled, router.inFlight, client.inFlight]).toEqual([true, 0, 0]);
  });

  it('a call that is cancelled here is cancelled at the peer', async () => {
    let peer: ServerCall | undefined;
    const { client } = setUp({
      async *repeat(_request, call) {
        peer = call;
        await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
      },
    });
    const call = callOnce(client, echoPath('Repeat'), encodeEcho(echo('left')));
    await tick();
    call.sink.cancel('the window closed');
    expect(await call.ended).toEqual({ code: StatusCode.CANCELLED, message: 'the window closed' });
    await tick();
    expect(peer?.isCancelled).toBe(true);
  });

  it('a pipe that goes ends every call, and later ones at once', async () => {
    const { client, near, closed } = setUp({ say: () => new Promise(() => undefined) });
    const calls = [1, 2].map(() => callOnce(client, echoPath('Say'), encodeEcho(echo('left'))));
    await tick();
    near.close(CloseCode.GOING_AWAY, 'the cable is out');
    for (const call of calls) {
      expect(await call.ended).toEqual({
        code: StatusCode.UNAVAILABLE,
        message: 'the connection was lost: the cable is out',
      });
    }
    expect(closed).toEqual(['the cable is out']);
    const late = callOnce(client, echoPath('Say'), encodeEcho(echo('left')));
    expect(late.status).toEqual({ code: StatusCode.UNAVAILABLE, message: 'not connected: the cable is out' });
  });

  it('bytes that are no frame close the pipe', () => {
    const { near, closed } = setUp();
    near.onMessage(Uint8Array.of(0xff, 0xff, 0xff));
    expect(closed).toHaveLength(1);
  });

  it('a caller that does not read pauses the pipe, and loses its call when it never does', async () => {
    const { client, clock, near } = setUp(
      {
        async *repeat(request) {
          for (let count = 0; count < 40; count++) yield { ...request, payload: new Uint8Array(100_000) };
        },
      },
      65_000,
    );
    const call = new RecordedCall();
    call.pressure = new Promise(() => undefined);
    call.sink = client.start(
      { path: echoPath('Repeat'), metadata: {}, timeoutMs: undefined, connection: {} as never },
      call,
    );
    void call.sink.message(encodeEcho(echo('left')));
    for (let turn = 0; turn < 200 && !near.isPaused; turn++) await tick();
    expect(near.isPaused).toBe(true);
    expect(call.messages).toHaveLength(1);
    clock.advance(30_000);
    expect(await call.ended).toMatchObject({ code: StatusCode.RESOURCE_EXHAUSTED });
    expect(near.isPaused).toBe(false);
  });
});
