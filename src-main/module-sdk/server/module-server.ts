import { rm } from 'node:fs/promises';
import * as http2 from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { MAX_MESSAGE_BYTES } from '../../rpc/routing/call-router.ts';
import { GrpcHttp2 } from '../../rpc/grpc/grpc-http2.ts';
import type { PeerAddress } from '../../rpc/peer/peer.ts';
import type { Router } from '../../rpc/router.ts';
import { TrackedConnection } from '../../rpc/tracked-connection.ts';

/** Large enough for camera images: the machine is on the same computer. */
const HTTP2_OPTIONS: http2.ServerOptions = {
  settings: { maxConcurrentStreams: 1_000, maxHeaderListSize: 64 * 1024, initialWindowSize: 1024 * 1024 },
  maxSessionMemory: 128,
};
const SESSION_WINDOW_BYTES = 8 * 1024 * 1024;
const KEEPALIVE = { intervalMs: 15_000, timeoutMs: 10_000 };

export interface ModuleServerOptions {
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The server of a module: plaintext gRPC on a socket that only the machine and the module use. */
export class ModuleServer {
  readonly #options: ModuleServerOptions;
  readonly #grpc: GrpcHttp2;
  readonly #server: Server;
  readonly #sessions = new Set<http2.ServerHttp2Session>();

  constructor(options: ModuleServerOptions) {
    this.#options = options;
    this.#grpc = new GrpcHttp2({
      ...options,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      keepalive: KEEPALIVE,
      onOtherStream: (stream) => {
        stream.on('error', () => undefined);
        stream.respond({ ':status': 415 }, { endStream: true });
      },
    });
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @throws {ArmatureError} `server.cannot_bind` */
  async listen(address: PeerAddress): Promise<void> {
    // Nobody else listens there: an existing socket is left over from a process that was killed.
    if (address.kind === 'unix') await rm(address.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (error) => reject(cannotListen(address, error)));
      const place = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
      this.#server.listen(place, resolve);
    });
  }

  /**
   * Accepts no more calls, ends running ones after `graceMs`, gives their answers the same time to be sent, and closes.
   */
  async close(graceMs: number): Promise<void> {
    this.#server.close();
    for (const session of this.#sessions) session.close();
    await this.#options.router.drain(graceMs);
    await this.#flushed(graceMs);
    for (const session of this.#sessions) session.destroy();
  }

  /** Settles when all sessions have closed, or after `limitMs`. */
  async #flushed(limitMs: number): Promise<void> {
    if (limitMs <= 0) return;
    const closing = [...this.#sessions].map(
      (session) => new Promise<void>((resolve) => session.once('close', resolve)),
    );
    const { clock } = this.#options;
    await withTimeout(() => Promise.all(closing), { clock, ms: limitMs, onTimeout: () => undefined });
  }

  #serve(socket: Socket): void {
    const { logger } = this.#options;
    const connection = new TrackedConnection(socket, 'grpc', false, true);
    socket.on('error', (error) => logger.debug('The connection of the machine broke.', { error: error.message }));
    const session = http2.performServerHandshake(socket, HTTP2_OPTIONS);
    this.#sessions.add(session);
    session.once('remoteSettings', () => session.setLocalWindowSize(SESSION_WINDOW_BYTES));
    session.on('error', (error: Error) => logger.debug('A session of the machine broke.', { error: error.message }));
    session.once('close', () => {
      this.#sessions.delete(session);
      connection.close();
    });
    this.#grpc.serve(session, connection);
  }
}

function cannotListen(address: PeerAddress, cause: Error): ArmatureError {
  const place = address.kind === 'unix' ? address.path : `${address.host}:${address.port}`;
  return new ArmatureError('server.cannot_bind', `The module cannot listen on ${place}: ${cause.message}.`, { cause });
}
