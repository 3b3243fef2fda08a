import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { ArmatureError, toStatus } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { showHostAndPort } from '../../base/server-address.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import { DeadlineQueue } from '../routing/deadline-queue.ts';
import { nameOfReset } from './grpc-answer.ts';
import { ACCEPTED_ENCODINGS, encodeGrpcTimeout, isTransportHeader } from './grpc-headers.ts';
import type { KeepaliveOptions } from './grpc-http2.ts';
import type { MetadataRecord } from '../metadata.ts';
import { Inflation, type InflatedMessage } from './gzip.ts';
import { PeerCall, type PeerCallContext } from '../peer/peer-call.ts';
import type { Peer, PeerAddress } from '../peer/peer.ts';
import type { RequestSink, Responder } from '../router.ts';

/** Of one stream: a frame of 1 MB does not wait for the window of its reader. */
const STREAM_WINDOW_BYTES = 2 * 1024 * 1024;
/** Of all streams of a connection. Node counts what it has read as consumed, so a slow reader takes nothing of it. */
const SESSION_WINDOW_BYTES = 8 * 1024 * 1024;
/** MiB that a connection may hold in headers and frames; with less, calls with large requests are refused. */
const MAX_SESSION_MEMORY = 256;

/** Options of a connection besides its address. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly name: string;
  readonly maxMessageBytes: number;
  readonly keepalive: KeepaliveOptions | undefined;
  /** See `PeerOptions`. */
  readonly whyNotPeer?: ((socket: Socket) => Promise<string | undefined>) | undefined;
}

/**
 * Connects to a server of gRPC over plain HTTP/2 (grpc/grpc: doc/PROTOCOL-HTTP2.md).
 * @throws {ArmatureError} `peer.unreachable` where nobody listens or it does not speak HTTP/2; `call.cancelled` by the signal
 */
export async function openConnection(
  address: PeerAddress,
  options: ConnectionOptions,
  signal: AbortSignal | undefined,
): Promise<Http2Connection> {
  return new Http2Connection(await openSession(address, options, signal), authorityOf(address), options);
}

/** Where a peer listens, in words. */
export function describeAddress(address: PeerAddress): string {
  return address.kind === 'unix' ? address.path : showHostAndPort(address);
}

function authorityOf(address: PeerAddress): string {
  return address.kind === 'unix' ? 'localhost' : describeAddress(address);
}

/** Settles when the other side has sent its settings: then it does speak HTTP/2. */
function openSession(
  address: PeerAddress,
  { name, whyNotPeer }: Pick<ConnectionOptions, 'name' | 'whyNotPeer'>,
  signal: AbortSignal | undefined,
): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const where = describeAddress(address);
    const cancelled = (): ArmatureError =>
      new ArmatureError('call.cancelled', `Connecting to ${name} at ${where} was given up.`, { cause: signal?.reason });
    if (signal?.aborted === true) {
      reject(cancelled());
      return;
    }
    const socket: Socket =
      address.kind === 'unix' ? connectSocket(address.path) : connectSocket(address.port, address.host);
    socket.setNoDelay(true);
    const session = connect(`http://${authorityOf(address)}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
      maxSessionMemory: MAX_SESSION_MEMORY,
    });
    let failure: NodeJS.ErrnoException | undefined;
    const noteFailure = (error: Error): void => void (failure ??= error);
    const settle = (error: ArmatureError | undefined): void => {
      signal?.removeEventListener('abort', onAbort);
      session.off('close', onClose);
      session.off('error', noteFailure);
      if (error === undefined) {
        resolve(session);
        return;
      }
      session.on('error', () => undefined);
      session.destroy();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => settle(cancelled());
    const onClose = (): void => settle(unreachable(name, where, failure));
    signal?.addEventListener('abort', onAbort);
    session.once('close', onClose);
    session.on('error', noteFailure);
    session.once('remoteSettings', () => {
      session.setLocalWindowSize(SESSION_WINDOW_BYTES);
      if (whyNotPeer === undefined) {
        settle(undefined);
        return;
      }
      void whyNotPeer(socket).then((reason) =>
        settle(reason === undefined ? undefined : unreachable(name, where, new Error(reason))),
      );
    });
  });
}

function unreachable(name: string, where: string, cause: NodeJS.ErrnoException | undefined): ArmatureError {
  const code = cause?.code ?? '';
  const message = `${name} cannot be connected to at ${where}: ${reasonOf(code, cause)}.`;
  return new ArmatureError('peer.unreachable', message, { cause, details: { address: where, reason: code } });
}

function reasonOf(code: string, cause: Error | undefined): string {
  if (code === 'ENOENT') return 'there is no such socket';
  if (code === 'ECONNREFUSED') return 'nobody listens there';
  if (code === 'EACCES') return 'this user may not open the socket';
  if (code.startsWith('ERR_HTTP2')) return `what answers does not speak HTTP/2 (${cause?.message ?? code})`;
  return cause?.message ?? 'the other side closed the connection at once';
}

/** A connection to a server of gRPC, until either side ends it. */
export class Http2Connection implements Peer, PeerCallContext {
  readonly name: string;
  readonly maxMessageBytes: number;
  readonly deadlines: DeadlineQueue;
  readonly #session: ClientHttp2Session;
  readonly #authority: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** A separate budget: a peer that answers too much takes no room from others. */
  readonly #inflation = new Inflation();
  readonly #inflated = this.#inflation.share();
  readonly #lost = new Emitter<string>();
  #lossReason: string | undefined;
  /** The other side accepts no more calls, and running ones continue; its reason where it gave one. */
  #farewell: string | undefined;

  constructor(session: ClientHttp2Session, authority: string, options: ConnectionOptions) {
    const { name } = options;
    this.name = name;
    this.maxMessageBytes = options.maxMessageBytes;
    this.deadlines = new DeadlineQueue(options.clock);
    this.#session = session;
    this.#authority = authority;
    this.#clock = options.clock;
    this.#logger = options.logger;
    session.on('error', (error: Error) => this.#lose(`the connection to ${name} broke: ${error.message}`));
    session.on('goaway', (code: number, _last: number, data?: Buffer) => this.#onGoaway(code, data));
    // Each stream gets this event too: the reason must be set before.
    session.socket.once('close', () => this.#onClose());
    session.once('close', () => {
      this.#onClose();
      this.deadlines.dispose();
    });
    if (options.keepalive !== undefined) this.#keepAlive(options.keepalive);
  }

  get isClosed(): boolean {
    return this.#lossReason !== undefined;
  }

  get lossReason(): string | undefined {
    return this.#lossReason;
  }

  inflate(compressed: Uint8Array): InflatedMessage {
    return this.#inflation.start(compressed, this.maxMessageBytes, this.#inflated);
  }

  onClose(listener: (reason: string) => void): () => void {
    return this.#lost.on(listener);
  }

  close(reason: string): void {
    this.#lose(reason);
    this.#session.destroy();
  }

  /** Closes once the running calls have ended: for a connection without new calls. */
  retire(): void {
    this.#session.close();
  }

  // A property, so that it can be passed on without its object.
  readonly start = (
    path: string,
    metadata: Readonly<MetadataRecord>,
    timeoutMs: number | undefined,
    responder: Responder,
  ): RequestSink => {
    if (this.#lossReason !== undefined || this.#farewell !== undefined) {
      const message = this.#lossReason ?? `${this.name} takes no more calls on this connection${this.#farewell}`;
      return refuse(responder, { code: StatusCode.UNAVAILABLE, message });
    }
    try {
      const headers = this.#requestHeaders(path, metadata, timeoutMs);
      const stream = this.#session.request(headers, STAYS_OPEN);
      const deadline = timeoutMs === undefined ? undefined : this.#clock.monotonic() + timeoutMs;
      return new PeerCall(this, stream, path, responder, deadline, timeoutMs);
    } catch (thrown) {
      if (thrown instanceof ArmatureError) return refuse(responder, toStatus(thrown));
      const message = `${path} cannot be sent to ${this.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
      const code = this.#session.closed ? StatusCode.UNAVAILABLE : StatusCode.INTERNAL;
      return refuse(responder, { code, message });
    }
  };

  #requestHeaders(
    path: string,
    metadata: Readonly<MetadataRecord>,
    timeoutMs: number | undefined,
  ): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = {
      ':method': 'POST',
      ':scheme': 'http',
      ':authority': this.#authority,
      ':path': path,
      te: 'trailers',
      'content-type': 'application/grpc',
      'grpc-accept-encoding': ACCEPTED_ENCODINGS,
    };
    if (timeoutMs !== undefined) headers['grpc-timeout'] = encodeGrpcTimeout(timeoutMs);
    for (const key in metadata) {
      if (isTransportHeader(key)) continue;
      const value = metadata[key] as string | string[];
      for (const one of typeof value === 'string' ? [value] : value) {
        if (!PRINTABLE_ASCII.test(one)) throw unsendable(key);
      }
      headers[key] = value;
    }
    return headers;
  }

  #onGoaway(code: number, data: Buffer | undefined): void {
    const why = data === undefined || data.length === 0 ? '' : `: ${data.toString('utf8').slice(0, 200)}`;
    if (code === constants.NGHTTP2_NO_ERROR) {
      this.#farewell ??= why;
    } else {
      this.#lose(`${this.name} ended the connection (${nameOfReset(code)})${why}`);
    }
  }

  #onClose(): void {
    this.#lose(`${this.name} closed its connection${this.#farewell ?? ''}`);
  }

  /** Reports once why the connection was lost. */
  #lose(reason: string): void {
    if (this.#lossReason !== undefined) return;
    this.#lossReason = reason;
    this.#logger.debug(`The connection has ended: ${reason}.`);
    this.#lost.emit(reason);
    this.#lost.clear();
  }

  #keepAlive({ intervalMs, timeoutMs, isForQuiet }: KeepaliveOptions): void {
    const session = this.#session;
    let heardBytes = -1;
    const interval = this.#clock.every(intervalMs, () => {
      if (session.closed || session.destroyed) return;
      const { bytesRead } = session.socket;
      const wasQuiet = bytesRead === heardBytes;
      heardBytes = bytesRead;
      if (isForQuiet === true && !wasQuiet) return;
      const limit = this.#clock.after(timeoutMs, () =>
        this.close(`${this.name} did not answer a ping within ${timeoutMs} ms`),
      );
      const wasSent = session.ping(() => limit.cancel());
      if (!wasSent) limit.cancel();
    });
    session.once('close', () => interval.cancel());
  }
}

/** What a header may hold (grpc/grpc: doc/PROTOCOL-HTTP2.md, "ASCII-Value"); a server resets the stream of another. */
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

function unsendable(key: string): ArmatureError {
  const message = `The metadata "${key}" has a value that is not printable ASCII: encode it, or use a key that ends in -bin.`;
  return new ArmatureError('call.bad_argument', message, { details: { key } });
}

const STAYS_OPEN = Object.freeze({ endStream: false });

/** Where a call that was never made gets its requests from. */
const NOWHERE: RequestSink = Object.freeze({
  message: () => undefined,
  halfClose: () => undefined,
  cancel: () => undefined,
});

function refuse(responder: Responder, status: Status): RequestSink {
  responder.end(status, {});
  return NOWHERE;
}
