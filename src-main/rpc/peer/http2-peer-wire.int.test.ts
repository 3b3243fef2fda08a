import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, systemClock } from '../../base/clock.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { openPeer, type PeerOptions } from './http2-peer.ts';
import { frameMessage } from '../grpc/message-assembler.ts';
import type { MetadataRecord } from '../metadata.ts';
import type { Peer } from './peer.ts';
import { FrameServer, respond, type Script } from '../testing/frame-server.ts';
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
