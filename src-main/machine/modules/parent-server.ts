import http2, { type IncomingHttpHeaders } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { MAX_MESSAGE_BYTES } from '../../rpc/call-router.ts';
import type { Connection } from '../../rpc/call.ts';
import { GrpcHttp2 } from '../../rpc/grpc-http2.ts';
import { HTTP2_OPTIONS, SESSION_WINDOW_BYTES } from '../../rpc/listener.ts';
import { isHyperH2, OrderedSocket } from '../../rpc/ordered-socket.ts';
import { sniff } from '../../rpc/protocol-sniffer.ts';
import type { Router } from '../../rpc/router.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';

export interface ParentServerOptions {
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the module that it is for. */
  readonly module: string;
  /** Path of a socket, or undefined for a TCP port of this computer. */
  readonly socketPath: string | undefined;
  /** Lets the calls of the module in. */
  readonly trust: (connection: Connection, module: string) => void;
}

/** A connection within this computer does not break; one whose process hangs is found by the health of the module. */
const KEEPALIVE = { intervalMs: 60_000, timeoutMs: 30_000 };

/**
 * The machine, as one module calls it: the router over plaintext gRPC, on a
 * socket of this start alone, so that whoever calls is known to be this module.
 */
export class ParentServer {
  /** What the module is told: a path, or host and port. */
  readonly address: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(address: string, server: Server, sockets: Set<Socket>) {
    this.address = address;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** @throws {ArmatureError} `server.cannot_bind` */
  static async open(options: ParentServerOptions): Promise<ParentServer> {
    const { router, clock, logger, module, socketPath } = options;
    const grpc = new GrpcHttp2({
      router,
      clock,
      logger,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      keepalive: KEEPALIVE,
      onOtherStream: (stream) => stream.close(),
      withholdsDetails: cannotPassOnDetails,
    });
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      accept(socket, grpc, options);
    });
    try {
      server.listen(socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath });
      await once(server, 'listening');
    } catch (cause) {
      throw new ArmatureError(
        'server.cannot_bind',
        `The socket for module ${module} cannot be opened at ${socketPath ?? '127.0.0.1'} (${toArmatureError(cause).message}).`,
        { cause },
      );
    }
    server.on('error', (error) => logger.warn(`The socket for module ${module} has a fault: ${error.message}`));
    return new ParentServer(addressOf(server), server, sockets);
  }

  /** Connections of the module that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Closes at once; what the module moved without a session stops. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * The library of the public Python SDK raises our errors with their details, and when a module lets them through to its
 * own caller it fails to encode those again: the call is then never answered (grpclib 0.4.9, server.py).
 */
function cannotPassOnDetails({ 'user-agent': agent }: IncomingHttpHeaders): boolean {
  return agent?.startsWith('grpc-python-grpclib') === true;
}

function accept(socket: Socket, grpc: GrpcHttp2, options: ParentServerOptions): void {
  const { clock, logger, module } = options;
  socket.setNoDelay(true);
  socket.on('error', (error) => logger.debug(`A connection of module ${module} broke.`, { error: error.message }));
  sniff(socket, isHyperH2, (isFromPython) => {
    if (!isFromPython) {
      serve(socket, grpc, options);
      return;
    }
    const ordered = new OrderedSocket(socket, clock, ({ message }) =>
      logger.warn(`The calls of module ${module} got mixed up on their way (${message}): its connection is closed.`),
    );
    serve(ordered, grpc, options);
  });
}

function serve(socket: Duplex, grpc: GrpcHttp2, { logger, module, trust, socketPath }: ParentServerOptions): void {
  const facts = { remoteAddress: `module ${module}`, isUnixSocket: true };
  const connection = new TrackedConnection(
    socketPath === undefined ? { ...facts, localAddress: '127.0.0.1' } : facts,
    'grpc',
    false,
    true,
  );
  trust(connection, module);
  const session = http2.performServerHandshake(socket, HTTP2_OPTIONS);
  session.once('remoteSettings', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
  session.on('error', (error: Error) => logger.debug(`A session of module ${module} broke.`, { error: error.message }));
  session.once('close', () => connection.close());
  grpc.serve(session, connection);
}

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address === 'string') return address;
  return `127.0.0.1:${address?.port ?? 0}`;
}
