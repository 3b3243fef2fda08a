import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import type { KeepaliveOptions } from '../grpc/grpc-http2.ts';
import { describeAddress, openConnection, type Http2Connection } from '../grpc/http2-connection.ts';
import type { StartCall } from './outbound-call.ts';
import type { Peer, PeerAddress } from './peer.ts';

export interface PeerOptions {
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Name of the peer in messages, `module acme_motors`; its address by default. */
  readonly name?: string;
  /** Largest answer that is accepted, bytes. */
  readonly maxMessageBytes: number;
  /**
   * Pings a silent peer. It detects a process that was stopped or a cable that was cut, not a
   * handler that hangs. Servers of the public gRPC libraries disconnect at more than one ping in five minutes
   * without data: shorter intervals are only for our own servers.
   */
  readonly keepalive?: KeepaliveOptions;
  /**
   * Called after the other side has accepted a connection and before any call: why it is not the peer, or undefined if
   * it is. Must not reject.
   */
  readonly whyNotPeer?: (socket: Socket) => Promise<string | undefined>;
  /** Ends the attempt to connect, not the connection. */
  readonly signal?: AbortSignal;
  /**
   * Number of calls after which another connection takes over: HTTP/2 numbers a billion of them, which fast loops use
   * up in days.
   */
  readonly callsPerConnection?: number;
}

const CALLS_PER_CONNECTION = 1_000_000_000;

/**
 * Connects to a server of gRPC over plain HTTP/2 (grpc/grpc: doc/PROTOCOL-HTTP2.md). `options.signal`
 * limits the time.
 * @throws {ArmatureError} `peer.unreachable` where nobody listens or it does not speak HTTP/2; `call.cancelled` by the signal
 */
export async function openPeer(address: PeerAddress, options: PeerOptions): Promise<Peer> {
  const { clock, maxMessageBytes, keepalive, whyNotPeer, callsPerConnection = CALLS_PER_CONNECTION } = options;
  const { logger = silentLogger, name = describeAddress(address) } = options;
  const open = (signal?: AbortSignal): Promise<Http2Connection> =>
    openConnection(address, { clock, logger, name, maxMessageBytes, keepalive, whyNotPeer }, signal);
  return new Http2Peer(await open(options.signal), open, callsPerConnection, logger);
}

/** A peer over one connection, which is replaced by a new one before its stream numbers run out. */
class Http2Peer implements Peer {
  readonly #open: () => Promise<Http2Connection>;
  readonly #callsPerConnection: number;
  readonly #logger: Logger;
  readonly #closed = new Emitter<string>();
  #connection: Http2Connection;
  /** Earlier connections with running calls. */
  readonly #retired = new Set<Http2Connection>();
  #callsLeft: number;
  #isClosed = false;

  constructor(
    connection: Http2Connection,
    open: () => Promise<Http2Connection>,
    callsPerConnection: number,
    logger: Logger,
  ) {
    this.#open = open;
    this.#callsPerConnection = callsPerConnection;
    this.#callsLeft = callsPerConnection;
    this.#logger = logger;
    this.#connection = connection;
    this.#follow(connection);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#closed.on(listener);
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  // A property, so that it can be passed on without its object.
  readonly start: StartCall = (path, metadata, timeoutMs, responder) => {
    if (--this.#callsLeft === 0) void this.#renew();
    return this.#connection.start(path, metadata, timeoutMs, responder);
  };

  #follow(connection: Http2Connection): void {
    connection.onClose((reason) => {
      this.#retired.delete(connection);
      if (connection === this.#connection) this.#lost(reason);
    });
  }

  #lost(reason: string): void {
    this.#isClosed = true;
    for (const connection of [...this.#retired]) connection.close(reason);
    this.#closed.emit(reason);
    this.#closed.clear();
  }

  async #renew(): Promise<void> {
    try {
      const next = await this.#open();
      if (this.#isClosed || next.isClosed) {
        next.close('it is not needed');
        return;
      }
      const before = this.#connection;
      this.#connection = next;
      this.#callsLeft = this.#callsPerConnection;
      this.#retired.add(before);
      this.#follow(next);
      before.retire();
    } catch (thrown) {
      // The current connection has enough numbers for the calls until the next attempt.
      this.#callsLeft = Math.ceil(this.#callsPerConnection / 1_000);
      this.#logger.warn(`No further connection: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
}
