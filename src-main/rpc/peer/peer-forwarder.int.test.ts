import { once } from 'node:events';
import { constants, type ClientHttp2Stream, type ServerHttp2Stream } from 'node:http2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { foreignService } from '../reflection/foreign-service.ts';
import { openPeer } from './http2-peer.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../interceptors/deadline.ts';
import { Listener } from '../port/listener.ts';
import { frameMessage, MessageAssembler } from '../grpc/message-assembler.ts';
import { peerForwarder } from './peer-forwarder.ts';
import type { Peer } from './peer.ts';
import { echo, echoPath, echoService, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { gizmoDescriptors } from '../testing/foreign-descriptors.ts';
import { FrameServer, respond } from '../testing/frame-server.ts';
import { callOnce, startCall, type RecordedCall } from '../testing/local-caller.ts';
import { framedEcho, openSession } from '../testing/raw-http2.ts';

const MB = 1024 * 1024;
const GIZMO = 'acme.gizmo.v1.GizmoService';

let module: FrameServer;
let peer: Peer;
let router: CallRouter;

beforeEach(async () => {
  module = await FrameServer.start();
  const options = { clock: systemClock, name: 'module acme', maxMessageBytes: MAX_MESSAGE_BYTES };
  peer = await openPeer(module.address, options);
  router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  const target = { kind: 'forward', forwarder: peerForwarder(peer, { clock: systemClock }) } as const;
  router.addResourceService(echoService, {}, () => target);
  router.addForwardedService(foreignService(GIZMO, gizmoDescriptors('acme')), () => target);
});

afterEach(async () => {
  peer.close('the test is over');
  await module.stop();
});

/** The module's end of the next call of a method. */
function nextStream(method: string): Promise<ServerHttp2Stream> {
  return new Promise((resolve) => module.scripts.set(`/viam.test.v1.EchoService/${method}`, resolve));
}

const echoes = (call: RecordedCall): Echo[] => call.messages.map((bytes) => echoType.decode(bytes));

describe('forwarding to a peer', () => {
  it('passes bytes, metadata and what is left of the deadline on, and all of the answer back', async () => {
    const metadata = {
      ':path': echoPath('Say'),
      authorization: 'Bearer secret',
      cookie: 'a=b',
      te: 'trailers',
      'content-type': 'application/grpc-web+proto',
      'grpc-timeout': '5S',
      'sec-fetch-mode': 'cors',
      'viam-sid': 'session',
      viam_client: 'python;v0.80.0;v0.1.577',
      'x-bytes-bin': 'AAEC, /w==',
    };
    const call = callOnce(router, echoPath('Say'), encodeEcho(echo('left', 7)), { metadata, timeoutMs: 5_000 });
    expect(await call.ended).toEqual({ code: StatusCode.OK, message: '' });
    expect(echoes(call)).toEqual([echo('left', 7)]);
    expect([call.headerRecord, call.trailers]).toEqual([{ 'x-head': 'up' }, { 'x-tail': 'down' }]);
    const [seen = {}] = module.seen;
    const ofTransport = [':authority', ':method', ':path', ':scheme', 'content-type', 'grpc-accept-encoding', 'te'];
    expect(Object.keys(seen).sort()).toEqual([...ofTransport, 'grpc-timeout', 'viam_client', 'x-bytes-bin'].sort());
    expect([seen[':path'], seen['content-type']]).toEqual(['/viam.test.v1.EchoService/Say', 'application/grpc']);
    expect(seen['x-bytes-bin']).toBe('AAEC, /w==');
    const leftMs = Number(/^(\d+)m$/.exec(String(seen['grpc-timeout']))?.[1]);
    expect(leftMs).toBeLessThanOrEqual(5_000);
    expect(leftMs).toBeGreaterThan(0);
  });

  it('sets no deadline for a stream whose caller set none, and the default one for a call with one answer', async () => {
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    for (const path of [echoPath('Say'), `/${GIZMO}/Turn`, echoPath('Repeat'), `/${GIZMO}/Watch`]) {
      await callOnce(router, path, encodeEcho(echo('left'))).ended;
    }
    const seconds = module.seen.map(({ 'grpc-timeout': left }) => left && Math.ceil(parseInt(String(left)) / 1_000));
    expect(seconds).toEqual([600, 600, undefined, undefined]);
  });

  it('calls a service that the program does not know by its own name', async () => {
    // Field 1 names the resource; the rest is nothing that anybody here could decode.
    const request = Buffer.concat([encodeEcho(echo('left')), Buffer.from([0x7a, 2, 0xff, 0xfe])]);
    const call = callOnce(router, `/${GIZMO}/Turn`, request);
    await call.ended;
    expect(Buffer.from(call.messages[0] ?? []).equals(request)).toBe(true);
    expect(module.seen[0]?.[':path']).toBe(`/${GIZMO}/Turn`);
  });

  it('sends the answer of a call that has one, its headers and its status in one piece', async () => {
    const stream = nextStream('Say');
    const call = callOnce(router, echoPath('Say'), encodeEcho(echo('left')));
    const order: string[] = [];
    call.headers = () => order.push('headers');
    call.message = (_bytes, isLast) => void order.push(`message ${isLast ? 'that is the last' : ''}`);
    respond(await stream, { 'grpc-status': '0' }, { 'x-head': 'up' });
    (await stream).end(framedEcho(echo('left')));
    await call.ended;
    expect(order).toEqual(['headers', 'message that is the last']);
  });

  it('passes an error on with its details, and not what was answered before it', async () => {
    const stream = nextStream('Say');
    const call = callOnce(router, echoPath('Say'), encodeEcho(echo('left')));
    respond(await stream, { 'grpc-status': '9', 'grpc-message': 'not now', 'grpc-status-details-bin': 'CAkSAng' });
    (await stream).end(framedEcho(echo('left')));
    expect(await call.ended).toEqual({ code: StatusCode.FAILED_PRECONDITION, message: 'not now' });
    expect([call.messages, call.trailers]).toEqual([[], { 'grpc-status-details-bin': 'CAkSAng' }]);
  });

  it('streams answers as they come, headers before the first', async () => {
    const stream = nextStream('Repeat');
    const call = callOnce(router, echoPath('Repeat'), encodeEcho(echo('left')));
    const heard = new Promise((resolve) => (call.headers = resolve));
    respond(await stream, { 'grpc-status': '0' }, { 'x-head': 'up' });
    expect(await heard).toEqual({ 'x-head': 'up' });
    for (const count of [1, 2]) {
      const message = new Promise((resolve) => (call.message = (bytes) => void resolve(echoType.decode(bytes).count)));
      (await stream).write(framedEcho(echo('left', count)));
      expect(await message).toBe(count);
    }
    (await stream).end();
    expect((await call.ended).code).toBe(StatusCode.OK);
  });

  it('streams requests, and both ways', async () => {
    for (const method of ['Collect', 'Chat']) {
      const call = startCall(router, echoPath(method));
      const requests = method === 'Collect' ? [echo('left', 1)] : [echo('left', 1), echo('', 2), echo('', 3)];
      for (const request of requests) await call.sink.message(encodeEcho(request));
      call.sink.halfClose();
      expect((await call.ended).code).toBe(StatusCode.OK);
      expect(echoes(call)).toEqual(requests);
    }
  });

  it('cancels at the module what its caller cancels, and what is late', async () => {
    for (const method of ['Say', 'Repeat', 'Collect', 'Chat']) {
      const stream = nextStream(method);
      const call = callOnce(router, echoPath(method), encodeEcho(echo('left')));
      const closed = once(await stream, 'close');
      call.sink.cancel('its caller is gone');
      expect((await call.ended).code).toBe(StatusCode.CANCELLED);
      await closed;
      expect((await stream).rstCode).toBe(constants.NGHTTP2_CANCEL);
    }
    const stream = nextStream('Say');
    const call = callOnce(router, echoPath('Say'), encodeEcho(echo('left')), { timeoutMs: 30 });
    const closed = once(await stream, 'close');
    expect((await call.ended).code).toBe(StatusCode.DEADLINE_EXCEEDED);
    await closed;
    expect(router.inFlight).toBe(0);
  });

  it('ends calls with the reason when the module is gone, and refuses new ones with it', async () => {
    const stream = nextStream('Chat');
    const call = callOnce(router, echoPath('Chat'), encodeEcho(echo('left')));
    await stream;
    peer.close('module acme ended: exit code 1');
    const gone = { code: StatusCode.UNAVAILABLE, message: 'module acme ended: exit code 1' };
    expect(await call.ended).toEqual(gone);
    expect(await callOnce(router, echoPath('Say'), encodeEcho(echo('left'))).ended).toEqual(gone);
    expect(router.inFlight).toBe(0);
  });
});

describe('a reader that is slow', () => {
  it('holds the module back, and nobody else', async () => {
    const total = 48;
    let produced = 0;
    module.scripts.set('/viam.test.v1.EchoService/Repeat', (stream) => {
      respond(stream, { 'grpc-status': '0' });
      const frame = framedEcho(echo('left', 1, new Uint8Array(MB)));
      const produce = (): void => {
        while (produced < total) {
          produced++;
          if (!stream.write(frame)) {
            stream.once('drain', produce);
            return;
          }
        }
        stream.end();
      };
      produce();
    });
    const call = callOnce(router, echoPath('Repeat'), encodeEcho(echo('left')));
    let read = 0;
    let ahead = 0;
    call.message = async () => {
      // A reader that makes other calls between two frames: they are answered at once.
      for (let count = 0; count < 3; count++) await callOnce(router, echoPath('Say'), encodeEcho(echo('left'))).ended;
      read++;
      ahead = Math.max(ahead, produced - read);
    };
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect([produced, read]).toEqual([total, total]);
    // The window of the stream (2 MB) and the frames that either side has in its hands.
    expect(ahead).toBeLessThanOrEqual(6);
  });

  it('is held back when it is the module', async () => {
    const total = 48;
    const assembler = new MessageAssembler(MAX_MESSAGE_BYTES);
    let sent = 0;
    let read = 0;
    let ahead = 0;
    module.scripts.set('/viam.test.v1.EchoService/Collect', (stream) => {
      const readAll = async (): Promise<void> => {
        for await (const chunk of stream) {
          assembler.push(chunk as Buffer);
          while (assembler.next() !== undefined) {
            for (let count = 0; count < 3; count++) {
              await callOnce(router, echoPath('Say'), encodeEcho(echo('left'))).ended;
            }
            read++;
            ahead = Math.max(ahead, sent - read);
          }
        }
        respond(stream, { 'grpc-status': '0' });
        stream.end(framedEcho(echo('all', read)));
      };
      void readAll();
    });
    const call = startCall(router, echoPath('Collect'));
    while (sent < total) {
      const taken = call.sink.message(encodeEcho(echo('left', 1, new Uint8Array(MB))));
      sent++;
      await taken;
    }
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(echoes(call)).toEqual([echo('all', total)]);
    expect(ahead).toBeLessThanOrEqual(6);
  });

  it('at the end of a whole server holds the module back too', async () => {
    const listener = new Listener({
      router,
      clock: systemClock,
      logger: silentLogger,
      webAccess: { checkRequest: () => ({ ok: true }) },
      certificate: undefined,
      onUpgrade: (_request, socket) => socket.destroy(),
      onPage: (_request, response) => response.end(),
      readiness: () => ({ isReady: true, summary: 'ready' }),
    });
    const { port } = await listener.listen({ host: '127.0.0.1', port: 0 });
    const session = await openSession(port);
    let produced = 0;
    const isDeferred = new Promise<void>((resolve) => {
      module.scripts.set('/viam.test.v1.EchoService/Repeat', (stream) => {
        respond(stream, { 'grpc-status': '0' });
        const frame = framedEcho(echo('left', 1, new Uint8Array(MB)));
        const produce = (): void => {
          do produced++;
          while (stream.write(frame));
          stream.once('drain', produce);
          if (produced === 3) resolve();
        };
        produce();
      });
    });
    const request = { ':method': 'POST', ':path': echoPath('Repeat'), 'content-type': 'application/grpc' };
    const stream: ClientHttp2Stream = session.request(request);
    stream.on('error', () => undefined);
    stream.end(frameMessage(encodeEcho(echo('left')), 0));
    await isDeferred;
    // Nobody reads. Two hundred calls on the same two connections later it must have come to rest.
    const counts: number[] = [];
    for (let round = 0; round < 200; round++) {
      await callOnce(router, echoPath('Say'), encodeEcho(echo('left'))).ended;
      counts.push(produced);
    }
    expect(counts.at(-1)).toBe(counts.at(100));
    expect(produced).toBeLessThanOrEqual(12);
    stream.close(constants.NGHTTP2_CANCEL);
    session.destroy();
    await listener.close(0);
  });
});
