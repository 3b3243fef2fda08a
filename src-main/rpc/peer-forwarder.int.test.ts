import { createServer, type Http2Server, type ServerHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import { StatusCode } from '../base/status.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from './call-router.ts';
import { openPeer } from './http2-peer.ts';
import { peerForwarder } from './peer-forwarder.ts';
import type { Peer } from './peer.ts';
import { echo, echoPath, echoService, encodeEcho, echoType } from './testing/echo-service.ts';
import { callOnce } from './testing/local-caller.ts';

/** A module that sends back what it gets, frame by frame, and keeps the headers that it saw. */
class MirrorModule {
  readonly seen: IncomingHttpHeaders[] = [];
  readonly server: Http2Server = createServer();
  answer: (stream: ServerHttp2Stream, body: Buffer) => void = (stream, body) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'x-head': 'up' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-tail': 'down' }));
    stream.end(body);
  };

  constructor() {
    this.server.on('stream', (stream, headers) => {
      this.seen.push(headers);
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => this.answer(stream, Buffer.concat(chunks)));
    });
  }
}

let folder: string;
let module: MirrorModule;
let peer: Peer;
let router: CallRouter;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-peer-'));
  const socket = path.join(folder, 'module.sock');
  module = new MirrorModule();
  await new Promise<void>((resolve) => module.server.listen(socket, resolve));
  peer = await openPeer({ kind: 'unix', path: socket }, { clock: systemClock, maxMessageBytes: MAX_MESSAGE_BYTES });
  router = new CallRouter({ clock: systemClock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  const forwarder = peerForwarder(peer, { clock: systemClock });
  router.addResourceService(echoService, {}, () => ({ kind: 'forward', forwarder }));
});

afterEach(async () => {
  peer.close('the test is over');
  module.server.close();
  await rm(folder, { recursive: true });
});

describe('forwarding to a peer', () => {
  it('passes bytes, metadata and what is left of the deadline on, and all of the answer back', async () => {
    const metadata = {
      ':path': echoPath('Say'),
      authorization: 'Bearer secret',
      cookie: 'a=b',
      te: 'trailers',
      'content-type': 'application/grpc-web+proto',
      'grpc-timeout': '5S',
      'viam-sid': 'session',
      viam_client: 'python;v0.80.0;v0.1.577',
      'x-bytes-bin': 'AAEC, /w==',
    };
    const call = callOnce(router, echoPath('Say'), encodeEcho(echo('left', 7)), { metadata, timeoutMs: 5_000 });
    expect(await call.ended).toEqual({ code: StatusCode.OK, message: '' });
    expect(call.messages.map((bytes) => echoType.decode(bytes))).toEqual([echo('left', 7)]);
    expect([call.headerRecord, call.trailers]).toEqual([{ 'x-head': 'up' }, { 'x-tail': 'down' }]);
    const [seen = {}] = module.seen;
    expect(Object.keys(seen).sort()).toEqual([
      ':authority',
      ':method',
      ':path',
      ':scheme',
      'content-type',
      'grpc-accept-encoding',
      'grpc-timeout',
      'te',
      'viam_client',
      'x-bytes-bin',
    ]);
    expect([seen[':path'], seen['content-type']]).toEqual(['/viam.test.v1.EchoService/Say', 'application/grpc']);
    expect(seen['x-bytes-bin']).toBe('AAEC, /w==');
    const leftMs = Number(/^(\d+)m$/.exec(String(seen['grpc-timeout']))?.[1]);
    expect(leftMs).toBeLessThanOrEqual(5_000);
    expect(leftMs).toBeGreaterThan(0);
  });

  it('gives a call without a deadline ten minutes', async () => {
    await callOnce(router, echoPath('Say'), encodeEcho(echo('left'))).ended;
    expect(module.seen[0]?.['grpc-timeout']).toBe('600000m');
  });
});
