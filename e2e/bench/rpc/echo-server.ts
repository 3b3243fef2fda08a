import { createServer, type AddressInfo, type Socket } from 'node:net';
import * as http2 from 'node:http2';
import { systemClock } from '../../../src-main/base/clock.ts';
import { silentLogger } from '../../../src-main/base/logger.ts';
import { CallRouter, MAX_MESSAGE_BYTES } from '../../../src-main/rpc/call-router.ts';
import { GrpcHttp2 } from '../../../src-main/rpc/grpc-http2.ts';
import { accessLogInterceptor } from '../../../src-main/rpc/interceptors/access-log.ts';
import { DEFAULT_DEADLINE_MS, deadlineInterceptor } from '../../../src-main/rpc/interceptors/deadline.ts';
import {
  DEFAULT_IN_FLIGHT_LIMIT,
  inFlightLimitInterceptor,
} from '../../../src-main/rpc/interceptors/in-flight-limit.ts';
import { TcpConnection } from '../../../src-main/rpc/tcp-connection.ts';
import { isMovingPath, motorService } from './motor-messages.ts';

/**
 * The ways of answering a unary call that are compared: grpc-js alone and fed
 * with connections of ours, bare HTTP/2 with no gRPC at all, and our router
 * with nothing and with everything around it.
 */
export const serverKinds = ['grpc-js', 'grpc-js-injected', 'bare-http2', 'router', 'router-full'] as const;
export type ServerKind = (typeof serverKinds)[number];

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

function serveRouter(isFull: boolean, ready: Listening): void {
  const clock = systemClock;
  const router = new CallRouter({ clock, logger: silentLogger, maxMessageBytes: MAX_MESSAGE_BYTES });
  if (isFull) {
    router.addInterceptor(accessLogInterceptor(silentLogger, clock, () => false));
    router.addInterceptor(deadlineInterceptor(DEFAULT_DEADLINE_MS));
    router.addInterceptor(inFlightLimitInterceptor(DEFAULT_IN_FLIGHT_LIMIT));
  }
  const resources = new Map([['left', { isMoving: true }]]);
  router.addResourceService<{ isMoving: boolean }, typeof motorService>(
    motorService,
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
    transport.serve(http2.performServerHandshake(socket), new TcpConnection(socket, 'grpc', false, true));
  }, ready);
}

/** Messages between this process and the one that measures. */
export type ToServer = { readonly ask: 'cpu' };
export type FromServer = { readonly port: number } | { readonly cpuMicros: number };

async function main(kind: ServerKind): Promise<void> {
  const send = (message: FromServer): void => void process.send?.(message);
  const ready: Listening = (port) => send({ port });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({ cpuMicros: user + system });
  });
  process.on('disconnect', () => process.exit());
  if (kind === 'bare-http2') serveBareHttp2(ready);
  else if (kind === 'router' || kind === 'router-full') serveRouter(kind === 'router-full', ready);
  else await serveGrpcJs(kind === 'grpc-js-injected', ready);
}

if (process.send !== undefined && import.meta.main) await main(process.argv[2] as ServerKind);
