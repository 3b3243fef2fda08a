import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import type { ArmatureError } from '../../base/errors.ts';
import { StatusCode } from '../../base/status.ts';
import { openPeer, type PeerOptions } from '../peer/http2-peer.ts';
import { frameMessage } from './message-assembler.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { Peer } from '../peer/peer.ts';
import { FrameServer, respond } from '../testing/frame-server.ts';
import { RecordedCall } from '../testing/local-caller.ts';

const options: PeerOptions = { clock: systemClock, name: 'module acme', maxMessageBytes: 1024 * 1024 };

let server: FrameServer;
let peer: Peer;

beforeEach(async () => {
  server = await FrameServer.start();
  peer = await openPeer(server.address, options);
});

afterEach(async () => {
  peer.close('the test is over');
  await server.stop();
});

function start(path = '/a.B/C', metadata: MetadataRecord = {}, timeoutMs?: number): RecordedCall {
  const call = new RecordedCall();
  call.sink = peer.start(path, metadata, timeoutMs, call);
  return call;
}

/** The stream of a call that came to the server. */
function nextStream(path: string): Promise<ServerHttp2Stream> {
  return new Promise((resolve) => server.scripts.set(path, resolve));
}

const textOf = (call: RecordedCall): string[] => call.messages.map((bytes) => Buffer.from(bytes).toString());

describe('the end of a connection', () => {
  it('ends the calls under way with the reason that was given', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    await stream;
    const reasons: string[] = [];
    peer.onClose((reason) => reasons.push(reason));
    peer.onClose(() => reasons.push('forgotten'))();
    peer.close('module acme is stopped');
    expect([peer.isClosed, reasons]).toEqual([true, ['module acme is stopped']]);
    expect(await call.ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'module acme is stopped' });
    expect(await start().ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'module acme is stopped' });
    peer.close('again');
    expect(reasons).toEqual(['module acme is stopped']);
  });

  it('by the server ends the calls under way, messages that came before them are handed over', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    const messages = new Promise<void>((resolve) => {
      call.message = (bytes) => {
        call.messages.push(bytes);
        resolve();
        return undefined;
      };
    });
    respond(await stream, { 'grpc-status': '0' });
    (await stream).write(frameMessage(Buffer.from('first'), 0));
    await messages;
    const closed = new Promise((resolve) => peer.onClose(resolve));
    server.sessions[0]?.destroy();
    expect(await closed).toBe('module acme closed its connection');
    expect(await call.ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'module acme closed its connection' });
    expect(textOf(call)).toEqual(['first']);
  });

  it('is announced: new calls are refused, those under way end as they would', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    respond(await stream, { 'grpc-status': '0' });
    const goaway = new Promise((resolve) => peer.onClose(resolve));
    const session = server.sessions[0];
    session?.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1, Buffer.from('shutting down'));
    // The ping comes back after what was sent before it.
    await new Promise((resolve) => session?.ping(resolve));
    expect(await start('/a.B/Late').ended).toEqual({
      code: StatusCode.UNAVAILABLE,
      message: 'module acme takes no more calls on this connection: shutting down',
    });
    expect(peer.isClosed).toBe(false);
    (await stream).end(frameMessage(Buffer.from('last'), 0));
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(textOf(call)).toEqual(['last']);
    expect(await goaway).toBe('module acme closed its connection: shutting down');
  });

  it('in anger says why', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    await stream;
    server.sessions[0]?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    const message = 'module acme ended the connection (ENHANCE_YOUR_CALM): too_many_pings';
    expect(await call.ended).toEqual({ code: StatusCode.UNAVAILABLE, message });
    expect(peer.isClosed).toBe(true);
  });
});

describe('a connection that has used up its calls', () => {
  async function openFor(callsPerConnection: number): Promise<void> {
    peer.close('another one is needed');
    peer = await openPeer(server.address, { ...options, callsPerConnection });
  }

  const say = async (): Promise<StatusCode> => {
    const call = start('/a.B/Other');
    call.sink.halfClose();
    return (await call.ended).code;
  };

  /** Makes calls until another connection is there. */
  async function callUntilRenewed(): Promise<void> {
    const before = server.sessions.length;
    while (server.sessions.length === before) expect(await say()).toBe(StatusCode.OK);
  }

  it('is followed by another one, and its calls go on', async () => {
    await openFor(3);
    const first = server.sessions.at(-1);
    const stream = nextStream('/a.B/C');
    const call = start();
    respond(await stream, { 'grpc-status': '0' });
    await callUntilRenewed();
    const firstClosed = once(first as NonNullable<typeof first>, 'close');
    for (let count = 0; count < 20; count++) expect(await say()).toBe(StatusCode.OK);
    expect((await stream).session === first).toBe(true);
    (await stream).end(frameMessage(Buffer.from('still here'), 0));
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(textOf(call)).toEqual(['still here']);
    await firstClosed;
    expect(peer.isClosed).toBe(false);
  });

  it('is closed with the other one', async () => {
    await openFor(3);
    const stream = nextStream('/a.B/C');
    const call = start();
    await stream;
    await callUntilRenewed();
    for (let count = 0; count < 20; count++) expect(await say()).toBe(StatusCode.OK);
    peer.close('module acme is stopped');
    expect(await call.ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'module acme is stopped' });
    expect(await start().ended).toEqual({ code: StatusCode.UNAVAILABLE, message: 'module acme is stopped' });
  });

  it('goes on where there cannot be another one', async () => {
    await openFor(3);
    await server.listenNoMore();
    for (let count = 0; count < 20; count++) expect(await say()).toBe(StatusCode.OK);
    expect([peer.isClosed, server.sessions.length]).toEqual([false, 2]);
  });
});

describe('connecting', () => {
  const failure = async (opening: Promise<Peer>): Promise<[string, string]> => {
    try {
      await opening;
    } catch (thrown) {
      const { code, message } = thrown as ArmatureError;
      return [code, message];
    }
    throw new Error('It connected.');
  };

  /** A server on a free port that does with a connection what it is told to. */
  async function listen(onSocket: (socket: Socket) => void): Promise<{ tcp: Server; port: number }> {
    const tcp = createServer(onSocket).listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    return { tcp, port: (tcp.address() as AddressInfo).port };
  }

  /** An HTTP/2 settings frame without settings. */
  const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

  it('says what is wrong with the address', async () => {
    const gone = `${server.socket}.gone`;
    expect(await failure(openPeer({ kind: 'unix', path: gone }, options))).toEqual([
      'peer.unreachable',
      `module acme cannot be connected to at ${gone}: there is no such socket.`,
    ]);
    const { tcp, port } = await listen(() => undefined);
    await new Promise((resolve) => tcp.close(resolve));
    expect(await failure(openPeer({ kind: 'tcp', host: '127.0.0.1', port }, options))).toEqual([
      'peer.unreachable',
      `module acme cannot be connected to at 127.0.0.1:${port}: nobody listens there.`,
    ]);
  });

  it.each([
    ['HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n', /what answers does not speak HTTP\/2/],
    ['', /the other side closed the connection at once/],
  ])('to what does not speak HTTP/2 fails: %j', async (words, pattern) => {
    const { tcp, port } = await listen((socket) => socket.on('error', () => undefined).end(words));
    const [code, message] = await failure(openPeer({ kind: 'tcp', host: '127.0.0.1', port }, options));
    expect(code).toBe('peer.unreachable');
    expect(message).toMatch(pattern);
    tcp.close();
  });

  it('to who says nothing lasts until it is given up', async () => {
    const accepted = new Promise<Socket>((resolve) => {
      void listen(resolve).then(({ tcp, port }) => {
        const opening = failure(
          openPeer({ kind: 'tcp', host: '127.0.0.1', port }, { ...options, signal: giving.signal }),
        );
        outcome = opening.finally(() => tcp.close());
      });
    });
    const giving = new AbortController();
    let outcome: Promise<[string, string]> | undefined;
    const socket = await accepted;
    const ended = once(socket.on('error', () => undefined).resume(), 'close');
    giving.abort();
    expect((await outcome)?.[0]).toBe('call.cancelled');
    await ended;
    expect((await failure(openPeer(server.address, { ...options, signal: giving.signal })))[0]).toBe('call.cancelled');
  });

  it('works over TCP', async () => {
    const { tcp, port } = await listen((socket) => socket.on('error', () => undefined).write(SETTINGS));
    const opened = await openPeer({ kind: 'tcp', host: '127.0.0.1', port }, options);
    expect(opened.isClosed).toBe(false);
    opened.close('enough');
    tcp.close();
  });

  it('to who hangs later is found out by a ping', async () => {
    const clock = new ManualClock();
    const { tcp, port } = await listen((socket) => socket.on('error', () => undefined).write(SETTINGS));
    const keepalive = { intervalMs: 10_000, timeoutMs: 2_000 };
    const hanging = await openPeer({ kind: 'tcp', host: '127.0.0.1', port }, { ...options, clock, keepalive });
    const closed = new Promise((resolve) => hanging.onClose(resolve));
    const call = new RecordedCall();
    hanging.start('/a.B/C', {}, undefined, call);
    clock.advance(11_999);
    expect(hanging.isClosed).toBe(false);
    clock.advance(1);
    expect(await closed).toBe('module acme did not answer a ping within 2000 ms');
    expect((await call.ended).code).toBe(StatusCode.UNAVAILABLE);
    tcp.close();
  });

  it('stays where pings are answered', async () => {
    const clock = new ManualClock();
    const alive = await openPeer(server.address, {
      ...options,
      clock,
      keepalive: { intervalMs: 1_000, timeoutMs: 900 },
    });
    const session = server.sessions.at(-1);
    for (let count = 0; count < 3; count++) {
      const pinged = once(session as NonNullable<typeof session>, 'ping');
      clock.advance(1_000);
      await pinged;
      // A round trip of our own: the answer to the ping is there before it.
      const call = new RecordedCall();
      alive.start('/a.B/Other', {}, undefined, call).halfClose();
      await call.ended;
    }
    expect(alive.isClosed).toBe(false);
    alive.close('enough');
  });
});
