import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { Request, Response } from '../../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';
import { ManualClock } from '../../base/clock.ts';
import { ArmatureError, toStatus } from '../../base/errors.ts';
import { silentLogger } from '../../base/logger.ts';
import { OK, StatusCode } from '../../base/status.ts';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import type { CallHead, RequestSink, Responder } from '../router.ts';
import { TrackedConnection } from '../tracked-connection.ts';
import { ChannelServer, MAX_STREAMS } from './channel-server.ts';
import { FakePipe } from './fake-pipe.ts';
import { CloseCode, HIGH_WATER_BYTES, PACKET_BYTES } from './pipe.ts';

/** One call as the fake router saw it. */
interface SeenCall {
  readonly head: CallHead;
  readonly responder: Responder;
  readonly messages: Uint8Array[];
  halfClosed: boolean;
  cancelled: string | undefined;
  /** What the next `message` returns. */
  taken: Promise<void> | undefined;
}

function setUp(packetBytes = PACKET_BYTES) {
  const calls: SeenCall[] = [];
  const router = {
    start(head: CallHead, responder: Responder): RequestSink {
      const call: SeenCall = {
        head,
        responder,
        messages: [],
        halfClosed: false,
        cancelled: undefined,
        taken: undefined,
      };
      calls.push(call);
      return {
        message: (bytes) => {
          call.messages.push(bytes);
          return call.taken;
        },
        halfClose: () => {
          call.halfClosed = true;
        },
        cancel: (reason) => {
          call.cancelled = String(reason);
          // As the router does: an error is what the call ends with.
          if (reason instanceof ArmatureError) responder.end(toStatus(reason), {});
        },
      };
    },
  };
  const pipe = new FakePipe();
  const clock = new ManualClock();
  const connection = new TrackedConnection({ remoteAddress: '127.0.0.1' }, 'channel', false, true);
  const server = new ChannelServer(pipe, connection, { router, clock, logger: silentLogger, packetBytes });
  const send = (frame: Partial<Request>): void =>
    pipe.onMessage(Request.encode({ stream: { id: 0n }, ...frame }).finish());
  const open = (id: bigint, method = '/p.S/M'): SeenCall => {
    send({ stream: { id }, type: { $case: 'headers', value: { method, metadata: undefined, timeout: undefined } } });
    return calls.at(-1) as SeenCall;
  };
  const packet = (id: bigint, data: Uint8Array, eom = true, eos = false): void =>
    send({
      stream: { id },
      type: { $case: 'message', value: { hasMessage: true, packetMessage: { data, eom }, eos } },
    });
  const frames = (): Response[] => pipe.sent.map((bytes) => Response.decode(bytes));
  /** The status in the last frame. */
  const lastStatus = (): { code: number; message: string } | undefined => trailersOf(frames().at(-1))?.status;
  return { pipe, clock, connection, server, calls, send, open, packet, frames, lastStatus };
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const packetOf = (frame: Response | undefined) =>
  frame?.type?.$case === 'message' ? frame.type.value.packetMessage : undefined;
const trailersOf = (frame: Response | undefined) => (frame?.type?.$case === 'trailers' ? frame.type.value : undefined);
const kinds = (frames: readonly Response[]): string[] => frames.map((frame) => frame.type?.$case ?? 'none');
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('requests', () => {
  it('opens a call with its path, lower-case metadata without HTTP/2 headers, and the deadline', () => {
    const { send, calls, connection } = setUp();
    const md = {
      Viam_Client: { values: ['go'] },
      many: { values: ['a', 'b'] },
      te: { values: ['trailers'] },
      'content-type': { values: ['application/grpc'] },
      ':path': { values: ['/x'] },
      __proto__x: { values: ['kept'] },
    };
    send({
      type: {
        $case: 'headers',
        value: { method: '/p.S/M', metadata: { md }, timeout: { seconds: 1n, nanos: 500_000_000 } },
      },
    });
    expect(calls[0]?.head).toMatchObject({ path: '/p.S/M', timeoutMs: 1_500, connection });
    expect({ ...calls[0]?.head.metadata }).toEqual({ viam_client: 'go', many: ['a', 'b'], __proto__x: 'kept' });
  });

  it('serves stream id 0, whose stream message is present but empty', () => {
    const { pipe, calls, frames } = setUp();
    // stream {} ; headers {method "/p.S/M"}
    pipe.onMessage(bytes(0x0a, 0x00, 0x12, 0x08, 0x0a, 0x06, ...Buffer.from('/p.S/M')));
    expect(calls).toHaveLength(1);
    calls[0]?.responder.end(OK, {});
    expect(frames()[0]?.stream).toEqual({ id: 0n });
  });

  it('a message is dispatched when it is whole; TypeScript never ends a unary call', () => {
    const { open, packet } = setUp();
    const call = open(1n);
    packet(1n, bytes(1, 2), false);
    expect(call.messages).toEqual([]);
    packet(1n, bytes(3), true);
    expect(call.messages.map((each) => [...each])).toEqual([[1, 2, 3]]);
    expect(call.halfClosed).toBe(false);
  });

  it('Go marks the end on every packet of a unary call: it counts with the whole message', () => {
    const { open, packet } = setUp();
    const call = open(1n);
    packet(1n, bytes(1), false, true);
    expect(call.halfClosed).toBe(false);
    packet(1n, bytes(2), true, true);
    expect(call.messages.map((each) => [...each])).toEqual([[1, 2]]);
    expect(call.halfClosed).toBe(true);
  });

  it.each([
    ['TypeScript', { hasMessage: false, packetMessage: { data: bytes(), eom: true }, eos: true }],
    ['Rust', { hasMessage: false, packetMessage: undefined, eos: true }],
  ])('%s ends its stream with a frame of its own', (_client, message) => {
    const { open, packet, send } = setUp();
    const call = open(1n);
    packet(1n, bytes(1));
    send({ stream: { id: 1n }, type: { $case: 'message', value: message } });
    expect(call.messages).toHaveLength(1);
    expect(call.halfClosed).toBe(true);
  });

  it('an empty message is a message', () => {
    const { open, packet } = setUp();
    const call = open(1n);
    packet(1n, bytes());
    expect(call.messages).toEqual([bytes()]);
  });

  it('any way of cutting messages into packets gives the same messages', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 9 })), { maxLength: 6 }),
        (messages) => {
          const { open, packet } = setUp();
          const call = open(7n);
          for (const [whole, size] of messages) {
            for (let at = 0; at < whole.length || at === 0; at += size) {
              packet(7n, whole.subarray(at, at + size), at + size >= whole.length);
            }
          }
          expect(call.messages.map((each) => [...each])).toEqual(messages.map(([whole]) => [...whole]));
        },
      ),
    );
  });

  it('the first frame of an unknown stream must be headers, else it is dropped', () => {
    const { packet, send, calls, pipe } = setUp();
    packet(5n, bytes(1));
    send({ stream: { id: 5n }, type: { $case: 'rstStream', value: true } });
    send({
      stream: undefined,
      type: { $case: 'headers', value: { method: '/p.S/M', metadata: undefined, timeout: undefined } },
    });
    expect(calls).toHaveLength(0);
    expect(pipe.sent).toHaveLength(0);
  });

  it('second headers end the call with InvalidArgument', () => {
    const { open, lastStatus, calls } = setUp();
    const call = open(1n);
    open(1n);
    expect(calls).toHaveLength(1);
    expect(call.cancelled).toBeDefined();
    expect(lastStatus()?.code).toBe(StatusCode.INVALID_ARGUMENT);
  });

  it('a stream that ends in the middle of a message is InvalidArgument', () => {
    const { open, packet, send, lastStatus } = setUp();
    const call = open(1n);
    packet(1n, bytes(1), false);
    send({
      stream: { id: 1n },
      type: { $case: 'message', value: { hasMessage: false, packetMessage: undefined, eos: true } },
    });
    expect(call.cancelled).toBeDefined();
    expect(lastStatus()?.code).toBe(StatusCode.INVALID_ARGUMENT);
  });

  it('a message of 32 MiB is taken, one byte more is refused', () => {
    const { open, packet, lastStatus } = setUp();
    const half = new Uint8Array(MAX_MESSAGE_BYTES / 2);
    const fits = open(1n);
    packet(1n, half, false);
    packet(1n, half, true);
    expect(fits.messages[0]?.length).toBe(MAX_MESSAGE_BYTES);
    const tooLarge = open(2n);
    packet(2n, half, false);
    packet(2n, half, false);
    packet(2n, bytes(1), true);
    expect(tooLarge.messages).toHaveLength(0);
    expect(lastStatus()?.code).toBe(StatusCode.RESOURCE_EXHAUSTED);
  });

  it('unfinished messages of all calls together are bounded, and give back what they held', () => {
    const { open, packet, lastStatus, send } = setUp();
    const most = new Uint8Array(MAX_MESSAGE_BYTES);
    for (const id of [1n, 2n]) {
      open(id);
      packet(id, most, false);
    }
    open(3n);
    packet(3n, bytes(1), false);
    expect(lastStatus()?.code).toBe(StatusCode.RESOURCE_EXHAUSTED);
    send({ stream: { id: 1n }, type: { $case: 'rstStream', value: true } });
    const fourth = open(4n);
    packet(4n, bytes(1), true);
    expect(fourth.messages).toHaveLength(1);
  });

  it('rst_stream cancels the call and nothing more is sent for it', () => {
    const { open, send, pipe, server } = setUp();
    const call = open(1n);
    send({ stream: { id: 1n }, type: { $case: 'rstStream', value: true } });
    expect(call.cancelled).toContain('cancelled');
    void call.responder.message(bytes(1), true);
    call.responder.end(OK, {});
    expect(pipe.sent).toHaveLength(0);
    expect(server.streamCount).toBe(0);
  });

  it('a closed pipe cancels every call and tells the connection', () => {
    const { open, pipe, connection, server } = setUp();
    const calls = [open(1n), open(2n)];
    pipe.onClose('gone');
    expect(calls.map((call) => call.cancelled)).toEqual(['gone', 'gone']);
    expect(connection.isClosed).toBe(true);
    expect(server.streamCount).toBe(0);
  });

  it('bytes that are no frame close the channel', () => {
    const { pipe, open } = setUp();
    const call = open(1n);
    pipe.onMessage(bytes(0xff, 0xff, 0xff));
    expect(pipe.closed?.code).toBe(1002);
    expect(call.cancelled).toBeDefined();
  });

  it('closing it ends every call at once, whether or not the peer answers', () => {
    const { pipe, open, server, connection } = setUp();
    const call = open(1n);
    pipe.close = (code, reason) => {
      pipe.closed = { code, reason };
    };
    server.close(CloseCode.GOING_AWAY, 'the server is stopping');
    expect([call.cancelled, connection.isClosed]).toEqual(['the server is stopping', true]);
    pipe.onClose('closed at last');
    expect(pipe.closed?.code).toBe(CloseCode.GOING_AWAY);
  });

  it('a caller that leaves its answers lying is refused more calls', () => {
    const { open, pipe, calls, lastStatus } = setUp();
    pipe.holdsBack = true;
    for (let id = 1n; id <= 3n; id++) void open(id).responder.message(new Uint8Array(MAX_MESSAGE_BYTES), true);
    open(4n);
    expect(calls).toHaveLength(3);
    expect(lastStatus()).toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
      message: expect.stringContaining('read them') as string,
    });
  });

  it('a caller that reads no refusals either loses its channel', () => {
    const { open, pipe } = setUp();
    pipe.holdsBack = true;
    for (let id = 0; id < 100_000 && pipe.closed === undefined; id++) open(BigInt(id));
    expect(pipe.closed?.code).toBe(CloseCode.POLICY_VIOLATION);
    expect(pipe.bufferedBytes()).toBeLessThan(4 * HIGH_WATER_BYTES);
  });

  it('call 257 at once is refused with ResourceExhausted, and the next after one ended is taken', () => {
    const { open, calls, frames } = setUp();
    for (let id = 0; id < MAX_STREAMS; id++) open(BigInt(id));
    open(1_000n);
    expect(calls).toHaveLength(MAX_STREAMS);
    expect(kinds(frames())).toEqual(['headers', 'trailers']);
    expect(trailersOf(frames()[1])?.status?.code).toBe(StatusCode.RESOURCE_EXHAUSTED);
    calls[0]?.responder.end(OK, {});
    open(1_001n);
    expect(calls).toHaveLength(MAX_STREAMS + 1);
  });

  it('a handler that is busy gets its messages one after the other, then the end', async () => {
    const { open, packet } = setUp();
    const call = open(1n);
    let take = (): void => undefined;
    call.taken = new Promise((resolve) => (take = resolve));
    packet(1n, bytes(1));
    packet(1n, bytes(2), true, true);
    expect(call.messages).toHaveLength(1);
    call.taken = undefined;
    take();
    await tick();
    expect(call.messages).toHaveLength(2);
    expect(call.halfClosed).toBe(true);
  });

  it('a caller that sends faster than its handler reads is paused, and goes on when the handler has read', async () => {
    const { open, packet, pipe } = setUp();
    const call = open(1n);
    let take = (): void => undefined;
    call.taken = new Promise((resolve) => (take = resolve));
    packet(1n, bytes(1));
    packet(1n, new Uint8Array(1_100_000));
    expect(pipe.isPaused).toBe(true);
    call.taken = undefined;
    take();
    await tick();
    expect(pipe.isPaused).toBe(false);
  });

  it('a handler that never reads loses its call after 30 s, so that the others go on', () => {
    const { open, packet, pipe, clock, lastStatus } = setUp();
    const call = open(1n);
    call.taken = new Promise(() => undefined);
    packet(1n, bytes(1));
    packet(1n, new Uint8Array(1_100_000));
    clock.advance(30_000);
    expect(call.cancelled).toBeDefined();
    expect(pipe.isPaused).toBe(false);
    expect(lastStatus()?.code).toBe(StatusCode.RESOURCE_EXHAUSTED);
  });
});

describe('responses', () => {
  it('come as headers, messages, trailers', () => {
    const { open, packet, frames, server } = setUp();
    const { responder } = open(3n);
    packet(3n, bytes());
    responder.headers({ opid: 'x', many: ['a', 'b'] });
    expect(responder.message(bytes(1, 2), true)).toBeUndefined();
    responder.end(OK, { t: 'v' });
    expect(kinds(frames())).toEqual(['headers', 'message', 'trailers']);
    const [headers, message, trailers] = frames();
    expect(headers?.type?.value).toEqual({
      metadata: { md: { opid: { values: ['x'] }, many: { values: ['a', 'b'] } } },
    });
    expect(packetOf(message)).toEqual({ data: bytes(1, 2), eom: true });
    expect(trailersOf(trailers)?.status?.code ?? 0).toBe(0);
    expect(trailersOf(trailers)?.metadata?.md).toEqual({ t: { values: ['v'] } });
    expect(server.streamCount).toBe(0);
  });

  it('headers come first even before an error, and the code is kept', () => {
    const { open, frames } = setUp();
    open(1n).responder.end({ code: StatusCode.NOT_FOUND, message: 'no motor\n"x"' }, {});
    expect(kinds(frames())).toEqual(['headers', 'trailers']);
    expect(trailersOf(frames()[1])?.status).toMatchObject({ code: 5, message: 'no motor "x"' });
  });

  it('an empty message is one packet', () => {
    const { open, frames } = setUp();
    void open(1n).responder.message(bytes(), true);
    expect(packetOf(frames()[1])).toMatchObject({ eom: true });
  });

  it.each([16_373, 65_000])('packets have at most %d data bytes, and join to the message', (packetBytes) => {
    const { open, frames } = setUp(packetBytes);
    const whole = Uint8Array.from({ length: packetBytes * 2 + 1 }, (_, index) => index % 251);
    void open(1n).responder.message(whole, true);
    const packets = frames().flatMap((frame) => packetOf(frame) ?? []);
    expect(packets.map(({ data }) => data.length)).toEqual([packetBytes, packetBytes, 1]);
    expect(packets.map(({ eom }) => eom)).toEqual([false, false, true]);
    expect(Buffer.concat(packets.map(({ data }) => data)).equals(whole)).toBe(true);
  });

  it('sending pauses at 1 MiB in the pipe and goes on when it drained; the sender is told to wait', async () => {
    const { open, pipe, frames } = setUp();
    pipe.holdsBack = true;
    const { responder } = open(1n);
    const sent = responder.message(new Uint8Array(3_000_000), true);
    expect(sent).toBeInstanceOf(Promise);
    const before = pipe.sent.length;
    expect(pipe.bufferedBytes()).toBeGreaterThanOrEqual(HIGH_WATER_BYTES);
    expect(pipe.bufferedBytes()).toBeLessThan(HIGH_WATER_BYTES + 2 * PACKET_BYTES);
    pipe.drain();
    expect(pipe.sent.length).toBeGreaterThan(before);
    pipe.drain();
    pipe.drain();
    await sent;
    responder.end(OK, {});
    expect(kinds(frames()).at(-1)).toBe('trailers');
  });

  it('a small answer does not wait for a 10 MB one', () => {
    const { open, pipe, frames } = setUp();
    pipe.holdsBack = true;
    const large = open(1n);
    void large.responder.message(new Uint8Array(10_000_000), true);
    const small = open(2n);
    void small.responder.message(bytes(42), true);
    small.responder.end(OK, {});
    pipe.drain();
    const ofSmall = frames().filter((frame) => frame.stream?.id === 2n);
    expect(kinds(ofSmall)).toEqual(['headers', 'message', 'trailers']);
    const isLargeDone = frames().some((frame) => frame.stream?.id === 1n && packetOf(frame)?.eom === true);
    expect(isLargeDone).toBe(false);
  });

  it('large answers take turns packet by packet', () => {
    const { open, pipe, frames } = setUp();
    pipe.holdsBack = true;
    void open(9n).responder.message(new Uint8Array(2_000_000), true);
    for (const id of [1n, 2n, 3n]) void open(id).responder.message(new Uint8Array(500_000), true);
    for (let i = 0; i < 5; i++) pipe.drain();
    const order = frames().flatMap((frame) => (packetOf(frame) === undefined ? [] : [Number(frame.stream?.id)]));
    const shared = order.slice(order.indexOf(1), order.lastIndexOf(9));
    for (let i = 0; i + 4 <= 24; i += 4) expect(new Set(shared.slice(i, i + 4)).size).toBe(4);
  });

  it('a cancelled call sends no more of its answer', () => {
    const { open, pipe, send, server } = setUp();
    pipe.holdsBack = true;
    const { responder } = open(1n);
    void responder.message(new Uint8Array(5_000_000), true);
    responder.end(OK, {});
    expect(server.streamCount).toBe(1);
    send({ stream: { id: 1n }, type: { $case: 'rstStream', value: true } });
    const before = pipe.sent.length;
    pipe.drain();
    expect(pipe.sent.length).toBe(before);
    expect(server.streamCount).toBe(0);
  });

  it('a sender that waits is let go when the pipe closes', async () => {
    const { open, pipe } = setUp();
    pipe.holdsBack = true;
    const waiting = open(1n).responder.message(new Uint8Array(5_000_000), true);
    pipe.onClose('gone');
    await expect(waiting).resolves.toBeUndefined();
  });

  it('a call refused while it starts is answered', () => {
    const pipe = new FakePipe();
    const router = {
      start(_head: CallHead, responder: Responder): RequestSink {
        responder.end({ code: StatusCode.UNIMPLEMENTED, message: 'no' }, {});
        return { message: () => undefined, halfClose() {}, cancel() {} };
      },
    };
    const connection = new TrackedConnection({}, 'channel', false, true);
    const options = { router, clock: new ManualClock(), logger: silentLogger, packetBytes: PACKET_BYTES };
    const server = new ChannelServer(pipe, connection, options);
    const value = { method: '/x/Y', metadata: undefined, timeout: undefined };
    pipe.onMessage(Request.encode({ stream: { id: 1n }, type: { $case: 'headers', value } }).finish());
    pipe.onMessage(Request.encode({ stream: { id: 1n }, type: { $case: 'rstStream', value: true } }).finish());
    expect(kinds(pipe.sent.map((each) => Response.decode(each)))).toEqual(['headers', 'trailers']);
    expect(server.streamCount).toBe(0);
  });
});
