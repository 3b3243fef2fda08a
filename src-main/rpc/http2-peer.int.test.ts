import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { StatusCode } from '../base/status.ts';
import { callPeer, streamFromPeer } from './outbound-call.ts';
import { openPeer } from './http2-peer.ts';
import type { Peer } from './peer.ts';
import { echo, echoPath, echoService, echoType, encodeEcho, type Echo } from './testing/echo-service.ts';
import { RecordedCall } from './testing/local-caller.ts';

const codes = { unreachable: 'peer.unreachable', refused: 'access.denied' } as const;

const wire = {
  requestSerialize: (message: Echo) => Buffer.from(encodeEcho(message)),
  requestDeserialize: (bytes: Buffer) => echoType.decode(bytes),
  responseSerialize: (message: Echo) => Buffer.from(encodeEcho(message)),
  responseDeserialize: (bytes: Buffer) => echoType.decode(bytes),
};

/** The test service on the public gRPC library for Node. */
function echoServer(): Server {
  const server = new Server({ 'grpc.max_receive_message_length': -1 });
  const method = (name: string, requestStream: boolean, responseStream: boolean): object => ({
    path: echoPath(name),
    requestStream,
    responseStream,
    ...wire,
  });
  server.addService(
    {
      say: method('Say', false, false),
      repeat: method('Repeat', false, true),
      collect: method('Collect', true, false),
      chat: method('Chat', true, true),
    } as never,
    {
      say: (call: ServerUnaryCall<Echo, Echo>, answer: sendUnaryData<Echo>) => {
        const trailers = new Metadata();
        for (const [key, value] of Object.entries(call.metadata.getMap())) {
          if (key.startsWith('x-'))
            trailers.set(`${key.replace(/-bin$/, '')}-seen${key.endsWith('-bin') ? '-bin' : ''}`, value);
        }
        if (call.request.name === 'fail') {
          answer({ code: status.FAILED_PRECONDITION, details: 'Drähte 100 % ab', metadata: trailers });
        } else {
          answer(null, call.request, trailers);
        }
      },
      repeat: (call: ServerWritableStream<Echo, Echo>) => {
        for (let index = 0; index < call.request.count; index++)
          call.write(echo(`${call.request.name}${index}`, index));
        call.end();
      },
      collect: (call: ServerReadableStream<Echo, Echo>, answer: sendUnaryData<Echo>) => {
        let count = 0;
        call.on('data', () => count++);
        call.on('end', () => answer(null, echo('all', count)));
      },
      chat: (call: ServerDuplexStream<Echo, Echo>) => {
        call.on('data', (message: Echo) => call.write(message));
        call.on('end', () => call.end());
      },
    },
  );
  return server;
}

let folder: string;
let server: Server;
let peer: Peer;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-peer-'));
  server = echoServer();
  const socket = path.join(folder, 'module.sock');
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  peer = await openPeer({ kind: 'unix', path: socket }, { clock: systemClock, maxMessageBytes: 32 * 1024 * 1024 });
});

afterEach(async () => {
  peer.close('the test is over');
  server.forceShutdown();
  await rm(folder, { recursive: true });
});

function startAt(name: string, metadata: Record<string, string | string[]> = {}, timeoutMs?: number): RecordedCall {
  const call = new RecordedCall();
  call.sink = peer.start(echoPath(name), metadata, timeoutMs, call);
  return call;
}

describe('calls to a server of the public library', () => {
  it('makes a unary call', async () => {
    const answer = await callPeer(peer.start, echoService, 'say', echo('left', 7), { timeoutMs: 5_000, codes });
    expect(answer).toEqual(echo('left', 7));
  });

  it('reads a stream of answers', async () => {
    const names: string[] = [];
    for await (const { name } of streamFromPeer(peer.start, echoService, 'repeat', echo('left', 3), {
      timeoutMs: undefined,
      codes,
    })) {
      names.push(name);
    }
    expect(names).toEqual(['left0', 'left1', 'left2']);
  });

  it('sends a stream of requests', async () => {
    const call = startAt('Collect');
    for (let index = 0; index < 100; index++)
      await call.sink.message(encodeEcho(echo('left', 1, new Uint8Array(10_000))));
    call.sink.halfClose();
    expect(await call.ended).toEqual({ code: StatusCode.OK, message: '' });
    expect(call.messages.map((bytes) => echoType.decode(bytes))).toEqual([echo('all', 100)]);
  });

  it('talks both ways', async () => {
    const call = startAt('Chat');
    void call.sink.message(encodeEcho(echo('left', 1)));
    void call.sink.message(encodeEcho(echo('left', 2)));
    call.sink.halfClose();
    await call.ended;
    expect(call.messages.map((bytes) => echoType.decode(bytes).count)).toEqual([1, 2]);
  });

  it('sends metadata and reads trailers, binary and repeated ones too', async () => {
    const call = startAt('Say', { 'x-text': 'one', 'x-bytes-bin': ['AAEC', '/w=='] });
    void call.sink.message(encodeEcho(echo('fail')));
    call.sink.halfClose();
    expect(await call.ended).toEqual({ code: StatusCode.FAILED_PRECONDITION, message: 'Drähte 100 % ab' });
    expect(call.trailers).toMatchObject({ 'x-text-seen': 'one', 'x-bytes-seen-bin': 'AAEC' });
  });
});
