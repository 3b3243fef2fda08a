import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {
  compressionAlgorithms,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type ServerDuplexStream,
  type ServerOptions,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { StatusCode } from '../../base/status.ts';
import { callPeer, streamFromPeer } from './outbound-call.ts';
import { openPeer } from './http2-peer.ts';
import type { Peer } from './peer.ts';
import { echo, echoPath, echoService, echoType, encodeEcho, type Echo } from '../testing/echo-service.ts';
import { RecordedCall } from '../testing/local-caller.ts';

const codes = { unreachable: 'peer.unreachable', refused: 'access.denied' } as const;

const peerOptions = { clock: systemClock, name: 'module acme', maxMessageBytes: 32 * 1024 * 1024 };

const wire = {
  requestSerialize: (message: Echo) => Buffer.from(encodeEcho(message)),
  requestDeserialize: (bytes: Buffer) => echoType.decode(bytes),
  responseSerialize: (message: Echo) => Buffer.from(encodeEcho(message)),
  responseDeserialize: (bytes: Buffer) => echoType.decode(bytes),
};

/** Calls that wait for their own end. */
const waiting = new EventEmitter();

/** The test service on the public gRPC library for Node. */
function echoServer(options: ServerOptions = {}): Server {
  const server = new Server({ 'grpc.max_receive_message_length': -1, ...options });
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
        for (const key of ['x-text', 'x-bytes-bin', 'grpc-status-details-bin']) {
          for (const value of call.metadata.get(key)) trailers.add(key, value);
        }
        if (call.request.name === 'fail') {
          answer({ code: status.FAILED_PRECONDITION, details: 'Drähte 100 % ab', metadata: trailers });
        } else if (call.request.name === 'wait') {
          call.once('cancelled', () => waiting.emit('cancelled', call.getDeadline()));
          waiting.emit('entered');
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

async function open(options: ServerOptions = {}): Promise<void> {
  folder = await mkdtemp(path.join(os.tmpdir(), 'armature-peer-'));
  server = echoServer(options);
  const socket = path.join(folder, 'module.sock');
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  peer = await openPeer({ kind: 'unix', path: socket }, peerOptions);
}

async function close(): Promise<void> {
  peer.close('the test is over');
  server.forceShutdown();
  await rm(folder, { recursive: true });
}

beforeEach(() => open());
afterEach(close);

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
    const sent = { 'x-text': ['one', 'two'], 'x-bytes-bin': ['AAEC', '/w=='] };
    const call = startAt('Say', sent);
    void call.sink.message(encodeEcho(echo('left')));
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(call.trailers).toEqual({ 'x-text': 'one, two', 'x-bytes-bin': ['AAEC', '/w=='] });
  });

  it('reads errors with their details', async () => {
    const details = Buffer.from('details that nobody here reads').toString('base64');
    const call = startAt('Say', { 'grpc-status-details-bin': details });
    void call.sink.message(encodeEcho(echo('fail')));
    call.sink.halfClose();
    expect(await call.ended).toEqual({ code: StatusCode.FAILED_PRECONDITION, message: 'Drähte 100 % ab' });
    expect(call.trailers).toEqual({ 'grpc-status-details-bin': details });
  });

  it('tells a method that is not there', async () => {
    const call = startAt('Nothing');
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.UNIMPLEMENTED);
  });

  it('carries 4 MB either way', async () => {
    const large = echo('left', 1, new Uint8Array(4 * 1024 * 1024).fill(7));
    const answer = await callPeer(peer.start, echoService, 'say', large, { timeoutMs: 20_000, codes });
    expect(Buffer.from(answer.payload).equals(Buffer.from(large.payload))).toBe(true);
  });

  it('reads answers that the server compresses', async () => {
    await close();
    await open({ 'grpc.default_compression_algorithm': compressionAlgorithms.gzip });
    const large = echo('left', 1, new Uint8Array(100_000));
    expect(await callPeer(peer.start, echoService, 'say', large, { timeoutMs: 5_000, codes })).toEqual(large);
  });

  it('lets the server know of the deadline, and of a caller that is gone', async () => {
    const entered = once(waiting, 'entered');
    const cancelled = once(waiting, 'cancelled');
    const before = Date.now();
    const call = startAt('Say', {}, 60_000);
    void call.sink.message(encodeEcho(echo('wait')));
    call.sink.halfClose();
    await entered;
    call.sink.cancel('its caller is gone');
    expect((await call.ended).code).toBe(StatusCode.CANCELLED);
    const [deadline] = (await cancelled) as [Date];
    expect(deadline.valueOf()).toBeGreaterThanOrEqual(before + 59_999);
    expect(deadline.valueOf()).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('ends with its deadline, whoever notices first', async () => {
    const cancelled = once(waiting, 'cancelled');
    const call = startAt('Say', {}, 30);
    void call.sink.message(encodeEcho(echo('wait')));
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.DEADLINE_EXCEEDED);
    await cancelled;
  });

  it('ends calls under way before a server that shuts down is gone', async () => {
    const call = startAt('Chat');
    const answered = new Promise<void>((resolve) => {
      call.message = (bytes) => {
        call.messages.push(bytes);
        resolve();
        return undefined;
      };
    });
    void call.sink.message(encodeEcho(echo('left', 1)));
    await answered;
    const gone = new Promise((resolve) => peer.onClose(resolve));
    const stopped = new Promise((resolve) => server.tryShutdown(resolve));
    void call.sink.message(encodeEcho(echo('left', 2)));
    call.sink.halfClose();
    expect((await call.ended).code).toBe(StatusCode.OK);
    expect(call.messages.map((bytes) => echoType.decode(bytes).count)).toEqual([1, 2]);
    await stopped;
    await gone;
    expect((await startAt('Say').ended).code).toBe(StatusCode.UNAVAILABLE);
  });
});

/** Streams frames of 64 KB without end, as a process of its own. */
const ENDLESS = `
  const server = require('node:http2').createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    const frame = Buffer.alloc(65_541);
    frame.writeUInt32BE(65_536, 1);
    const write = () => { while (stream.write(frame)); stream.once('drain', write); };
    write();
  });
  server.listen(process.argv[1], () => process.stdout.write('ready'));
`;

describe('a process that is killed in the middle of a stream', () => {
  it('ends its calls with Unavailable and the reason, at once', async () => {
    const socket = path.join(folder, 'other.sock');
    const child = spawn(process.execPath, ['-e', ENDLESS, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    const other = await openPeer({ kind: 'unix', path: socket }, peerOptions);
    const lost = new Promise((resolve) => other.onClose(resolve));
    const calls = ['one', 'two', 'three'].map((method) => {
      const call = new RecordedCall();
      other.start(echoPath(method), {}, undefined, call).halfClose();
      return call;
    });
    await new Promise<void>((resolve) => {
      for (const call of calls) {
        call.message = (bytes) => {
          call.messages.push(bytes);
          if (calls.every(({ messages }) => messages.length >= 3)) resolve();
          return undefined;
        };
      }
    });
    child.kill('SIGKILL');
    expect(await lost).toMatch(/^module acme closed its connection|^the connection to module acme broke/);
    const [status] = await Promise.all(calls.map(({ ended }) => ended));
    expect(status?.code).toBe(StatusCode.UNAVAILABLE);
    expect(other.isClosed).toBe(true);
  });
});
