import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../base/clock.ts';
import type { ArmatureError } from '../base/errors.ts';
import { StatusCode, type Status } from '../base/status.ts';
import { openPeer, type PeerOptions } from './http2-peer.ts';
import { frameMessage } from './message-assembler.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Peer } from './peer.ts';
import { FrameServer, respond, type Script } from './testing/frame-server.ts';
import { RecordedCall } from './testing/local-caller.ts';

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

/** A call whose server does as the script says, once it has its request. */
function callWith(script: Script, metadata: MetadataRecord = {}): RecordedCall {
  server.scripts.set('/a.B/C', script);
  const call = start('/a.B/C', metadata);
  void call.sink.message(Buffer.from('request'));
  call.sink.halfClose();
  return call;
}

/** The stream of a call that came to the server. */
function nextStream(path: string): Promise<ServerHttp2Stream> {
  return new Promise((resolve) => server.scripts.set(path, resolve));
}

const textOf = (call: RecordedCall): string[] => call.messages.map((bytes) => Buffer.from(bytes).toString());

describe('an answer', () => {
  it('may be trailers alone', async () => {
    const call = callWith((stream) =>
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': '5',
          'grpc-message': 'no%20such',
          'x-why': 'gone',
        },
        { endStream: true },
      ),
    );
    expect(await call.ended).toEqual({ code: StatusCode.NOT_FOUND, message: 'no such' });
    expect([call.headerRecord, call.trailers]).toEqual([undefined, { 'x-why': 'gone' }]);
  });

  it('has its headers passed on before any message came', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    const heard = new Promise((resolve) => (call.headers = resolve));
    respond(await stream, { 'grpc-status': '0' }, { 'x-head': 'up', 'x-bytes-bin': ['AAEC', '/w=='] });
    expect(await heard).toEqual({ 'x-head': 'up', 'x-bytes-bin': ['AAEC', '/w=='] });
  });

  it('passes the details of an error on as they are', async () => {
    const call = callWith((stream) => {
      respond(stream, { 'grpc-status': '9', 'grpc-message': 'Dr%C3%A4hte', 'grpc-status-details-bin': 'CAkSAng' });
      stream.end();
    });
    expect(await call.ended).toEqual({ code: StatusCode.FAILED_PRECONDITION, message: 'Drähte' });
    expect(call.trailers).toEqual({ 'grpc-status-details-bin': 'CAkSAng' });
  });

  it('may come in pieces of one byte, and several messages in one piece', async () => {
    const call = callWith((stream) => {
      respond(stream, { 'grpc-status': '0' });
      const frames = Buffer.concat([frameMessage(Buffer.from('one'), 0), frameMessage(Buffer.from('two'), 0)]);
      stream.write(frames);
      const write = (at: number): void => {
        if (at === frames.length) stream.end();
        else stream.write(frames.subarray(at, at + 1), () => setImmediate(() => write(at + 1)));
      };
      write(0);
    });
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(textOf(call)).toEqual(['one', 'two', 'one', 'two']);
  });

  it('may be compressed', async () => {
    const call = callWith((stream) => {
      respond(stream, { 'grpc-status': '0' }, { 'grpc-encoding': 'gzip' });
      stream.write(frameMessage(gzipSync('squeezed'), 1));
      stream.end(frameMessage(Buffer.from('plain'), 0));
    });
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(textOf(call)).toEqual(['squeezed', 'plain']);
  });

  it('may end before the request does', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    void call.sink.message(Buffer.from('request'));
    const closed = once(await stream, 'close');
    (await stream).respond({ ':status': 200, 'grpc-status': '8' }, { endStream: true });
    expect((await call.ended).code).toBe(StatusCode.RESOURCE_EXHAUSTED);
    await closed;
    // What follows the end is ignored.
    expect(call.sink.message(Buffer.from('more'))).toBeUndefined();
    call.sink.halfClose();
  });

  const broken: [name: string, script: Script, status: Status][] = [
    [
      'of HTTP and not of gRPC',
      (stream) => {
        stream.respond({ ':status': 503, 'content-type': 'text/html' });
        stream.end('<html>');
      },
      {
        code: StatusCode.UNAVAILABLE,
        message: 'module acme answered /a.B/C with the HTTP status 503, not as a gRPC server.',
      },
    ],
    [
      'of another content type',
      (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'text/html' });
        stream.end('<html>');
      },
      {
        code: StatusCode.UNKNOWN,
        message: 'module acme answered /a.B/C with the content type "text/html", not with gRPC.',
      },
    ],
    [
      'without a status',
      (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
        stream.end(frameMessage(Buffer.from('x'), 0));
      },
      { code: StatusCode.UNKNOWN, message: 'module acme ended /a.B/C without a status.' },
    ],
    [
      'that ends in the middle of a message',
      (stream) => {
        respond(stream, { 'grpc-status': '0' });
        stream.end(frameMessage(Buffer.from('message'), 0).subarray(0, 8));
      },
      { code: StatusCode.INTERNAL, message: 'The stream ended in the middle of a message.' },
    ],
    [
      'with a message that is too large',
      (stream) => {
        respond(stream, { 'grpc-status': '0' });
        stream.end(frameMessage(Buffer.alloc(2 * 1024 * 1024), 0));
      },
      {
        code: StatusCode.RESOURCE_EXHAUSTED,
        message: 'The message has 2097152 bytes; at most 1048576 are taken.',
      },
    ],
    [
      'with a message that is too large once inflated',
      (stream) => {
        respond(stream, { 'grpc-status': '0' }, { 'grpc-encoding': 'gzip' });
        stream.end(frameMessage(gzipSync(Buffer.alloc(2 * 1024 * 1024)), 1));
      },
      { code: StatusCode.RESOURCE_EXHAUSTED, message: 'The message has more than 1048576 bytes once inflated.' },
    ],
    [
      'in an encoding that is not read',
      (stream) => {
        respond(stream, { 'grpc-status': '0' }, { 'grpc-encoding': 'snappy' });
        stream.end(frameMessage(Buffer.from('x'), 1));
      },
      { code: StatusCode.INTERNAL, message: 'The answer to /a.B/C is compressed as "snappy", and only gzip is read.' },
    ],
    [
      'with unknown flags',
      (stream) => {
        respond(stream, { 'grpc-status': '0' });
        stream.end(frameMessage(Buffer.from('x'), 6));
      },
      { code: StatusCode.INTERNAL, message: 'The answer to /a.B/C has a message with the unknown flags 6.' },
    ],
    [
      'that is broken off',
      (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
      { code: StatusCode.INTERNAL, message: 'module acme broke off /a.B/C (INTERNAL_ERROR).' },
    ],
    [
      'that is refused',
      (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
      { code: StatusCode.UNAVAILABLE, message: 'module acme broke off /a.B/C (REFUSED_STREAM).' },
    ],
  ];

  it.each(broken)('%s ends its call with the reason, and no other', async (_name, script, status) => {
    const other = start('/a.B/Other');
    expect(await callWith(script).ended).toEqual(status);
    void other.sink.message(Buffer.from('still here'));
    other.sink.halfClose();
    expect((await other.ended).code).toBe(StatusCode.OK);
    expect(textOf(other)).toEqual(['still here']);
  });
});

describe('a call', () => {
  it('sends its metadata, repeated and binary values too, but no header of the transport', async () => {
    const call = callWith((stream) => stream.respond({ ':status': 200, 'grpc-status': '0' }, { endStream: true }), {
      'x-text': ['a', 'b'],
      'x-bytes-bin': ['AAEC', '/w=='],
      connection: 'close',
      ':path': '/else',
      te: 'gzip',
    });
    await call.ended;
    expect(server.seen[0]).toMatchObject({
      ':path': '/a.B/C',
      ':authority': 'localhost',
      te: 'trailers',
      'content-type': 'application/grpc',
      'x-text': 'a, b',
      'x-bytes-bin': 'AAEC, /w==',
    });
    expect(server.seen[0]).not.toHaveProperty('connection');
  });

  it.each([
    ['x-text', 'a\nb', StatusCode.INVALID_ARGUMENT],
    ['x-text', 'ä', StatusCode.INVALID_ARGUMENT],
    ['x text', 'a', StatusCode.INTERNAL],
  ])('is refused where a header cannot be sent: %j', async (key, value, code) => {
    const status = await start('/a.B/C', { [key]: value }).ended;
    expect([status.code, status.message.includes(key)]).toEqual([code, true]);
    expect(server.seen).toEqual([]);
  });

  it('is reset at the server when its caller cancels', async () => {
    const stream = nextStream('/a.B/C');
    const call = start();
    const closed = once(await stream, 'close');
    call.sink.cancel('its caller is gone');
    expect(await call.ended).toEqual({ code: StatusCode.CANCELLED, message: 'its caller is gone' });
    await closed;
    expect((await stream).rstCode).toBe(constants.NGHTTP2_CANCEL);
  });

  it('ends by itself when its time has passed, and the server is told', async () => {
    const clock = new ManualClock();
    peer.close('another clock is needed');
    peer = await openPeer(server.address, { ...options, clock });
    const stream = nextStream('/a.B/C');
    const call = start('/a.B/C', {}, 2_500);
    const closed = once(await stream, 'close');
    expect(server.seen.at(-1)?.['grpc-timeout']).toBe('2500m');
    clock.advance(2_499);
    expect(call.status).toBeUndefined();
    clock.advance(10);
    expect(call.status).toEqual({
      code: StatusCode.DEADLINE_EXCEEDED,
      message: 'module acme did not end /a.B/C within 2500 ms.',
    });
    await closed;
  });

  it('keeps no timer once it has ended', async () => {
    const clock = new ManualClock();
    peer.close('another clock is needed');
    peer = await openPeer(server.address, { ...options, clock });
    const call = start('/a.B/C', {}, 1_000);
    call.sink.halfClose();
    await call.ended;
    clock.advance(5_000);
    expect(call.status?.code).toBe(StatusCode.OK);
    expect(clock.pending).toBe(0);
  });
});

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
