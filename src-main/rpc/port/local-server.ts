import { once } from 'node:events';
import http2, { type IncomingHttpHeaders } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import type { Connection } from '../call.ts';
import { GrpcHttp2 } from '../grpc/grpc-http2.ts';
import { HTTP2_OPTIONS, SESSION_WINDOW_BYTES } from './listener.ts';
import { isHyperH2, OrderedSocket } from './ordered-socket.ts';
import { sniff } from './protocol-sniffer.ts';
import type { Router } from '../router.ts';
import { TrackedConnection } from '../tracked-connection.ts';

/** Handles a connection after its owner is known; undefined closes it. */
export type Admission = ((connection: Connection) => void) | undefined;

export interface LocalServerOptions {
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Its user in messages, and the address of its callers: `module acme_motors`. */
  readonly name: string;
  /** Path of a socket, or undefined for a free TCP port of 127.0.0.1. */
  readonly socketPath: string | undefined;
  /** Called for each connection before anything is read from it. Must not reject. */
  readonly admit: (socket: Socket) => Admission | Promise<Admission>;
}

/** A connection within this computer does not break; a hanging process is detected in other ways. */
const KEEPALIVE = { intervalMs: 60_000, timeoutMs: 30_000 };

/** A router on its own socket or port, which serves only plaintext gRPC to programs of this computer. */
export class LocalServer {
  /** Where it listens: a path, or host and port. */
  readonly address: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(address: string, server: Server, sockets: Set<Socket>) {
    this.address = address;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** @throws {ArmatureError} `server.cannot_bind` */
  static async open(options: LocalServerOptions): Promise<LocalServer> {
    const { router, clock, logger, name, socketPath } = options;
    const grpc = new GrpcHttp2({
      router,
      clock,
      logger,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      keepalive: KEEPALIVE,
      onOtherStream: (stream) => stream.close(),
      withholdsDetails: dropsStatusDetails,
    });
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      void accept(socket, grpc, options);
    });
    try {
      server.listen(socketPath === undefined ? { host: '127.0.0.1', port: 0 } : { path: socketPath });
      await once(server, 'listening');
    } catch (cause) {
      throw new ArmatureError(
        'server.cannot_bind',
        `The socket for ${name} cannot be opened at ${socketPath ?? '127.0.0.1'} (${toArmatureError(cause).message}).`,
        { cause },
      );
    }
    server.on('error', (error) => logger.warn(`The socket for ${name} has a fault: ${error.message}`));
    return new LocalServer(addressOf(server), server, sockets);
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Accepts no more connections, and removes its socket, so that another server can listen there. Open ones stay. */
  stopListening(): void {
    this.#server.close();
  }

  /** Closes at once; what its callers moved without a session is stopped. */
  close(): void {
    this.stopListening();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * The library of the public Python SDK raises our errors with their details, and when a module lets them through to its
 * own caller it fails to encode those again: the call is then never answered (grpclib 0.4.9, server.py).
 */
function dropsStatusDetails({ 'user-agent': agent }: IncomingHttpHeaders): boolean {
  return agent?.startsWith('grpc-python-grpclib') === true;
}

async function accept(socket: Socket, grpc: GrpcHttp2, options: LocalServerOptions): Promise<void> {
  const { clock, logger, name, admit } = options;
  socket.setNoDelay(true);
  socket.on('error', (error) => logger.debug(`A connection of ${name} broke.`, { error: error.message }));
  const asked = admit(socket);
  const admission = asked instanceof Promise ? await asked : asked;
  if (admission === undefined) socket.destroy();
  if (admission === undefined || socket.destroyed) return;
  sniff(socket, isHyperH2, (isFromPython) => {
    if (!isFromPython) {
      serve(socket, grpc, options, admission);
      return;
    }
    const ordered = new OrderedSocket(socket, clock, ({ message }) =>
      logger.warn(`The calls of ${name} got mixed up on their way (${message}): its connection is closed.`),
    );
    serve(ordered, grpc, options, admission);
  });
}

function serve(
  socket: Duplex,
  grpc: GrpcHttp2,
  { logger, name, socketPath }: LocalServerOptions,
  admission: (connection: Connection) => void,
): void {
  const facts = { remoteAddress: name, isUnixSocket: true };
  const connection = new TrackedConnection(
    socketPath === undefined ? { ...facts, localAddress: '127.0.0.1' } : facts,
    'grpc',
    false,
    true,
  );
  admission(connection);
  const session = http2.performServerHandshake(socket, HTTP2_OPTIONS);
  session.once('remoteSettings', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
  session.on('error', (error: Error) => logger.debug(`A session of ${name} broke.`, { error: error.message }));
  session.once('close', () => connection.close());
  grpc.serve(session, connection);
}

function addressOf(server: Server): string {
  const address = server.address();
  if (typeof address === 'string') return address;
  return `127.0.0.1:${address?.port ?? 0}`;
}
