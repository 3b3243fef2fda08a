import { createServer, type AddressInfo, type Socket } from 'node:net';
import * as http2 from 'node:http2';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { systemClock } from '../../../src-main/base/clock.ts';
import { silentLogger } from '../../../src-main/base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../src-main/rpc/routing/call-router.ts';
import { GrpcHttp2 } from '../../../src-main/rpc/grpc/grpc-http2.ts';
import { TrackedConnection } from '../../../src-main/rpc/tracked-connection.ts';
import { endProcess, SERVER_CPU, spawnNode } from '../pinned-process.ts';
import { isMovingPath } from '../servers/armature.ts';

/**
 * Servers that only answer: grpc-js alone, grpc-js with injected connections of ours, plain HTTP/2 without gRPC, and
 * our router alone.
 */
export const echoKinds = ['grpc-js', 'grpc-js-injected', 'bare-http2', 'bare-router'] as const;
export type EchoKind = (typeof echoKinds)[number];

type Listening = (port: number) => void;

function listen(onSocket: (socket: Socket) => void, ready: Listening): void {
  const server = createServer({ noDelay: true }, onSocket);
  server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port));
}

async function serveGrpcJs(isInjected: boolean, ready: Listening): Promise<void> {
  const grpc = await import('@grpc/grpc-js');
  const server = new grpc.Server();
  const same = (bytes: Buffer): Buffer => bytes;
  server.addService(
    {
      isMoving: {
        path: isMovingPath,
        requestStream: false,
        responseStream: false,
        requestSerialize: same,
        requestDeserialize: same,
        responseSerialize: same,
        responseDeserialize: same,
      },
    },
    {
      isMoving: (call: { request: Buffer }, answer: (error: null, bytes: Buffer) => void) => answer(null, call.request),
    },
  );
  const credentials = grpc.ServerCredentials.createInsecure();
  if (isInjected) {
    const injector = server.createConnectionInjector(credentials);
    listen((socket) => injector.injectConnection(socket), ready);
  } else {
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
      if (error !== null) throw error;
      ready(port);
    });
  }
}

function serveBareHttp2(ready: Listening): void {
  listen((socket) => {
    http2.performServerHandshake(socket).on('stream', (stream) => {
      stream.on('data', (chunk: Buffer) => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.end(chunk);
      });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    });
  }, ready);
}

function serveBareRouter(ready: Listening): void {
  const clock = systemClock;
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  const resources = new Map([['left', { isMoving: true }]]);
  router.addResourceService<{ isMoving: boolean }, typeof MotorServiceDefinition>(
    MotorServiceDefinition,
    { isMoving: (motor) => ({ isMoving: motor.isMoving }) },
    (name) => {
      const resource = resources.get(name);
      if (resource === undefined) throw new Error(`no ${name}`);
      return { kind: 'local', resource };
    },
  );
  const transport = new GrpcHttp2({
    router,
    clock,
    logger: silentLogger,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    keepalive: { intervalMs: 60_000, timeoutMs: 20_000 },
    onOtherStream: (stream) => stream.close(),
  });
  listen((socket) => {
    transport.serve(http2.performServerHandshake(socket), new TrackedConnection(socket, 'grpc', false, true));
  }, ready);
}

export interface EchoServer {
  readonly child: ChildProcess;
  readonly port: number;
  end(): Promise<void>;
}

/** Starts an echo server in a separate process, on the servers' processor. */
export async function startEcho(kind: EchoKind): Promise<EchoServer> {
  const child = spawnNode([fileURLToPath(import.meta.url), kind], {
    cpu: SERVER_CPU,
    environment: {},
    hasChannel: true,
  });
  const [port] = (await once(child, 'message')) as [number];
  return { child, port, end: () => endProcess(child) };
}

async function serve(kind: EchoKind): Promise<void> {
  process.on('disconnect', () => process.exit());
  const ready: Listening = (port) => void process.send?.(port);
  if (kind === 'bare-http2') serveBareHttp2(ready);
  else if (kind === 'bare-router') serveBareRouter(ready);
  else await serveGrpcJs(kind === 'grpc-js-injected', ready);
}

if (import.meta.main && process.send !== undefined) await serve(process.argv[2] as EchoKind);
