import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import * as http2 from 'node:http2';
import { fileURLToPath } from 'node:url';
import type { Server, ServerCredentials, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { systemClock } from '../../../src-main/base/clock.ts';
import { silentLogger } from '../../../src-main/base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../src-main/rpc/routing/call-router.ts';
import { GrpcHttp2 } from '../../../src-main/rpc/grpc/grpc-http2.ts';
import { openPeer } from '../../../src-main/rpc/peer/http2-peer.ts';
import { deadlineInterceptor } from '../../../src-main/rpc/interceptors/deadline.ts';
import { peerForwarder } from '../../../src-main/rpc/peer/peer-forwarder.ts';
import {
  echo,
  echoPath,
  echoService,
  echoType,
  encodeEcho,
  type Echo,
} from '../../../src-main/rpc/testing/echo-service.ts';
import { TrackedConnection } from '../../../src-main/rpc/tracked-connection.ts';
import { endProcess, LOAD_CPU, SERVER_CPU, spawnNode } from '../pinned-process.ts';

/**
 * A module (grpc-js on a Unix socket: `Say` returns what it gets, `Repeat` streams frames of 1 MB), and two programs
 * between it and its callers: our router with a forwarder, and a grpc-js server that decodes each message, calls with a
 * grpc-js client, and encodes it again.
 */
export const forwardingKinds = ['module', 'ours', 'grpc-js'] as const;
export type ForwardingKind = (typeof forwardingKinds)[number];

export const FRAME_BYTES = 1024 * 1024;

/** Modules know the `viam.*` spelling. */
export const sayPath = echoPath('Say').replace('/core.', '/viam.');
export const repeatPath = echoPath('Repeat').replace('/core.', '/viam.');

const LIMITS = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };

const wire = {
  requestSerialize: (message: Echo): Buffer => asBuffer(encodeEcho(message)),
  requestDeserialize: (bytes: Buffer): Echo => echoType.decode(bytes),
  responseSerialize: (message: Echo): Buffer => asBuffer(encodeEcho(message)),
  responseDeserialize: (bytes: Buffer): Echo => echoType.decode(bytes),
};

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const definition = {
  say: { path: sayPath, requestStream: false, responseStream: false, ...wire },
  repeat: { path: repeatPath, requestStream: false, responseStream: true, ...wire },
};

type Frames = ServerWritableStream<Echo, Echo>;

/** Writes as fast as the reader reads. */
function pump(from: AsyncIterable<Echo>, to: Frames): void {
  const run = async (): Promise<void> => {
    for await (const message of from) if (!to.write(message)) await once(to, 'drain');
    to.end();
  };
  run().catch((thrown: unknown) => to.destroy(thrown as Error));
}

async function* frames(count: number): AsyncGenerator<Echo> {
  const frame = echo('left', 0, new Uint8Array(FRAME_BYTES));
  for (let index = 0; index < count; index++) yield Promise.resolve(frame);
}

async function serveModule(socket: string): Promise<void> {
  const grpc = await import('@grpc/grpc-js');
  const server = new grpc.Server(LIMITS);
  server.addService(definition, {
    say: (call: ServerUnaryCall<Echo, Echo>, answer: sendUnaryData<Echo>) => answer(null, call.request),
    repeat: (call: Frames) => pump(frames(call.request.count), call),
  });
  await bind(server, grpc.ServerCredentials.createInsecure(), `unix:${socket}`);
  process.send?.(0);
}

function bind(server: Server, credentials: ServerCredentials, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
}

async function serveGrpcJs(socket: string): Promise<void> {
  const grpc = await import('@grpc/grpc-js');
  const client = new grpc.Client(`unix:${socket}`, grpc.credentials.createInsecure(), LIMITS);
  const server = new grpc.Server(LIMITS);
  const { say, repeat } = definition;
  server.addService(definition, {
    say(call: ServerUnaryCall<Echo, Echo>, answer: sendUnaryData<Echo>) {
      client.makeUnaryRequest(
        say.path,
        say.requestSerialize,
        say.responseDeserialize,
        call.request,
        call.metadata,
        { deadline: Date.now() + 600_000 },
        (error, value) => answer(error, value),
      );
    },
    repeat(call: Frames) {
      const answers = client.makeServerStreamRequest(
        repeat.path,
        repeat.requestSerialize,
        repeat.responseDeserialize,
        call.request,
        call.metadata,
      );
      pump(answers as AsyncIterable<Echo>, call);
    },
  });
  process.send?.(await bind(server, grpc.ServerCredentials.createInsecure(), '127.0.0.1:0'));
}

async function serveOurs(socket: string): Promise<void> {
  const clock = systemClock;
  const peer = await openPeer({ kind: 'unix', path: socket }, { clock, maxMessageBytes: MAX_MESSAGE_BYTES });
  const forwarder = peerForwarder(peer, { clock });
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  router.addInterceptor(deadlineInterceptor(600_000));
  router.addResourceService<never, typeof echoService>(echoService, {}, () => ({ kind: 'forward', forwarder }));
  const transport = new GrpcHttp2({
    router,
    clock,
    logger: silentLogger,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    keepalive: { intervalMs: 60_000, timeoutMs: 20_000 },
    onOtherStream: (stream) => stream.close(),
  });
  const server = createServer({ noDelay: true }, (connection) => {
    const session = http2.performServerHandshake(connection);
    transport.serve(session, new TrackedConnection(connection, 'grpc', false, true));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

export interface ForwardingServer {
  readonly child: ChildProcess;
  /** A port, or the path of the module's socket. */
  readonly port: number | string;
  end(): Promise<void>;
}

/** Starts one of them in a separate process: the module on the processor of the load, the measured programs alone. */
export async function startForwarding(kind: ForwardingKind, socket: string): Promise<ForwardingServer> {
  const child = spawnNode([fileURLToPath(import.meta.url), kind, socket], {
    cpu: kind === 'module' ? LOAD_CPU : SERVER_CPU,
    environment: {},
    hasChannel: true,
  });
  child.stderr?.pipe(process.stderr);
  const [port] = (await once(child, 'message')) as [number];
  return { child, port: kind === 'module' ? socket : port, end: () => endProcess(child) };
}

const serve: Record<ForwardingKind, (socket: string) => Promise<void>> = {
  module: serveModule,
  ours: serveOurs,
  'grpc-js': serveGrpcJs,
};

if (import.meta.main && process.send !== undefined) {
  process.on('disconnect', () => process.exit());
  await serve[process.argv[2] as ForwardingKind](process.argv[3] as string);
}
