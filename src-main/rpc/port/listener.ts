import { X509Certificate } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  ServerResponse,
} from 'node:http';
import * as http2 from 'node:http2';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { bindAddresses, type BindAddress } from './bind.ts';
import { MAX_MESSAGE_BYTES } from '../routing/call-router.ts';
import { readClientHello } from './client-hello.ts';
import { ConnectionLimiter, MACHINE_LIMITS, type ConnectionLimits } from './connection-limits.ts';
import { GrpcHttp2, type KeepaliveOptions } from '../grpc/grpc-http2.ts';
import { answerSocket, HttpRoutes, type Readiness } from './http-routes.ts';
import { headerBytesOf, limitsOfSocket, MAX_UNPROVEN_HEADERS, MAX_UNPROVEN_REQUESTS } from '../limited-connection.ts';
import { protocolOf, sniff, type Protocol } from './protocol-sniffer.ts';
import type { Router } from '../router.ts';
import { applyTcpUserTimeout, enableKeepalive, type SetTcpUserTimeout } from './tcp-timeouts.ts';
import { isLoopbackAddress, TrackedConnection } from '../tracked-connection.ts';
import type { WebAccess } from './web-access.ts';

/** A certificate chain and its private key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly webAccess: WebAccess;
  /** Given: every connection is TLS 1.2 or newer. */
  readonly certificate: Certificate | undefined;
  /**
   * Without a certificate: takes TLS beside clear text from when {@link Listener.setCertificate} gives one. From this
   * computer only for a name of the certificate other than `localhost`, so that public clients, which try TLS first and
   * do not know its authority, go on in clear text.
   */
  readonly mayTakeTls?: boolean;
  /** Takes WebSocket upgrades whose host and origin were checked. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Takes every other request whose host and origin were checked: the page. */
  readonly onPage: (request: IncomingMessage, response: ServerResponse) => void;
  /** Asked by `GET /healthz/ready`. */
  readonly readiness: () => Readiness;
  /** Limits of connections; by default those for a machine. */
  readonly connectionLimits?: ConnectionLimits;
  /** How silent peers are detected; by default as for a machine. */
  readonly keepalive?: KeepaliveOptions;
  /** How connections with a silent network are closed; by default the kernel takes minutes for some. */
  readonly setTcpUserTimeout?: SetTcpUserTimeout;
}

/** Time limit for a connection to show its protocol, and then to send its first headers or settings. */
const FIRST_WORDS_MS = 10_000;
/** A caller whose program hangs is detected within 25 s, and what it moved is stopped. */
const KEEPALIVE = { intervalMs: 15_000, timeoutMs: 10_000 };
/** After the last call ended: time to send its answer. */
const FLUSH_MS = 1_000;

/** Limits of an HTTP/2 session that we serve. */
export const HTTP2_OPTIONS: http2.ServerOptions = {
  settings: { maxConcurrentStreams: 1_000, maxHeaderListSize: 64 * 1024, initialWindowSize: 256 * 1024 },
  // MiB that one session may hold in headers and frames before its new streams are refused.
  // More than the answers that may wait, so that a caller that reads none gets a message first.
  maxSessionMemory: 128,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // A caller that opens and resets streams only to cause work is disconnected.
  streamResetBurst: 1_000,
  streamResetRate: 100,
};
/** Set after the peer's settings have arrived and it has authenticated. */
export const SESSION_WINDOW_BYTES = 1024 * 1024;
/** Until then the window has its default size: 64 KiB. */
const UNPROVEN_OPTIONS: http2.ServerOptions = {
  ...HTTP2_OPTIONS,
  settings: {
    ...HTTP2_OPTIONS.settings,
    maxConcurrentStreams: MAX_UNPROVEN_REQUESTS,
    maxHeaderListSize: MAX_UNPROVEN_HEADERS,
  },
};
/** Requests that one connection of HTTP/1.1 may send before the first is answered. */
const MAX_PIPELINED = 16;

/** The one port of the server: distinguishes gRPC, gRPC-Web, the message channel and the page, and routes each. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #logger: Logger;
  readonly #grpc: GrpcHttp2;
  readonly #routes: HttpRoutes;
  readonly #http: HttpServer;
  #tls: TlsServer | undefined;
  /** The certificate of {@link #tls}, where clear text is accepted too. */
  #besideClearText: X509Certificate | undefined;
  readonly #limiter: ConnectionLimiter;
  readonly #sessions = new Set<http2.ServerHttp2Session>();
  readonly #webConnections = new WeakMap<http2.Http2Session, TrackedConnection>();
  #servers: readonly NetServer[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#limiter = new ConnectionLimiter(options.connectionLimits ?? MACHINE_LIMITS, options.clock, options.logger);
    this.#routes = new HttpRoutes({ ...options, maxMessageBytes: MAX_MESSAGE_BYTES });
    this.#grpc = new GrpcHttp2({
      router: options.router,
      clock: options.clock,
      logger: options.logger,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      keepalive: options.keepalive ?? KEEPALIVE,
      onOtherStream: (stream, headers) => this.#onOtherStream(stream, headers),
    });
    this.#http = this.#createHttp();
    this.#tls = options.certificate === undefined ? undefined : this.#createTls(options.certificate);
  }

  /**
   * Starts to take connections. The host `localhost` means 127.0.0.1 and, where there is one, ::1.
   * @returns where it listens; all addresses have the same port
   * @throws ArmatureError `server.cannot_bind`
   */
  async listen(address: BindAddress): Promise<{ readonly port: number; readonly addresses: readonly string[] }> {
    const bound = await bindAddresses(address, (socket) => this.#accept(socket));
    this.#servers = bound.servers;
    return { port: bound.port, addresses: bound.addresses };
  }

  /** Shows another certificate to connections from now on; open ones stay. */
  setCertificate(certificate: Certificate): void {
    if (this.#options.mayTakeTls === true) this.#besideClearText = new X509Certificate(certificate.cert);
    if (this.#tls === undefined && this.#options.mayTakeTls === true) this.#tls = this.#createTls(certificate);
    else this.#tls?.setSecureContext({ ...certificate, minVersion: 'TLSv1.2' });
  }

  /** Open connections. */
  get connections(): number {
    return this.#limiter.size;
  }

  /** Accepts no more connections, lets running calls end for `graceMs`, then closes everything. */
  async close(graceMs: number): Promise<void> {
    for (const server of this.#servers) server.close();
    this.#http.close();
    for (const session of this.#sessions) session.close();
    await this.#options.router.drain(graceMs);
    await this.#flushed(Math.min(graceMs, FLUSH_MS));
    for (const socket of this.#limiter.sockets) socket.destroy();
  }

  /** Settles when all HTTP/2 sessions have closed, or after `limitMs`. */
  async #flushed(limitMs: number): Promise<void> {
    if (limitMs <= 0) return;
    const closing = [...this.#sessions].map(
      (session) => new Promise<void>((resolve) => session.once('close', resolve)),
    );
    const { clock } = this.#options;
    await withTimeout(() => Promise.all(closing), { clock, ms: limitMs, onTimeout: () => undefined });
  }

  #createHttp(): HttpServer {
    const server = createHttpServer({
      headersTimeout: FIRST_WORDS_MS,
      keepAliveTimeout: 60_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 64 * 1024,
      shouldUpgradeCallback: isWebSocket,
    });
    server.on('request', (request, response) => {
      const { socket } = request;
      if (!this.#takesRequest(request, response)) return;
      const connection = new TrackedConnection(socket, 'grpc-web', isEncrypted(socket), false);
      response.once('close', () => connection.close());
      this.#routes.handle(request, response, connection);
    });
    server.on('upgrade', (request, socket, head) => {
      // An upgraded socket no longer belongs to the server, nor do its errors.
      socket.on('error', () => socket.destroy());
      if (isWebSocket(request)) this.#routes.upgrade(request, socket, head);
      else this.#serveWithoutUpgrade(request, socket as Socket);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerGarbage(error, socket));
    // The server has no port of its own, but its time limits start only with this event.
    server.emit('listening');
    return server;
  }

  /** Counts a request over an unauthenticated connection; closes the connection if there are too many. */
  #takesRequest({ socket, headers }: IncomingMessage, response: ServerResponse): boolean {
    const limits = limitsOfSocket.get(socket);
    if (limits?.proof !== 'none') return true;
    const bytes = headerBytesOf(headers);
    if (!limits.takeRequest(bytes, MAX_PIPELINED)) {
      socket.destroy();
      return false;
    }
    response.once('close', () => limits.giveRequest(bytes));
    return true;
  }

  /** An unknown upgrade is no reason to refuse the request; Node before 24.9 reports it as an upgrade. */
  #serveWithoutUpgrade(request: IncomingMessage, socket: Socket): void {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    this.#http.emit('request', request, response);
  }

  #createTls(certificate: Certificate): TlsServer {
    const server = createTlsServer({
      ...certificate,
      minVersion: 'TLSv1.2',
      handshakeTimeout: FIRST_WORDS_MS,
      ALPNCallback: ({ protocols }) => chooseProtocol(protocols),
    });
    server.on('secureConnection', (socket) => {
      this.#limiter.follow(socket);
      if (socket.alpnProtocol === 'h2') this.#serve(socket, 'http2');
      else if (socket.alpnProtocol === 'http/1.1') this.#serve(socket, 'http1');
      else this.#sniff(socket);
    });
    server.on('tlsClientError', (error, socket) => {
      this.#logger.debug('A TLS handshake failed.', { remoteAddress: socket.remoteAddress, error: error.message });
      socket.destroy();
    });
    return server;
  }

  #accept(socket: Socket): void {
    if (this.#limiter.admit(socket) === undefined) return;
    socket.setNoDelay(true);
    enableKeepalive(socket);
    socket.on('error', (error) => this.#logger.debug('A connection broke.', { error: error.message }));
    if (this.#options.certificate === undefined) this.#sniff(socket);
    else this.#tls?.emit('connection', socket);
  }

  #sniff(socket: Socket): void {
    const limit = this.#options.clock.after(FIRST_WORDS_MS, () => socket.destroy());
    socket.once('close', () => limit.cancel());
    const isFromHere = isLoopbackAddress(socket.remoteAddress ?? '');
    const tell = (first: Buffer): Protocol | undefined => {
      const protocol = protocolOf(first);
      const isUnsure = protocol === 'tls' && isFromHere && this.#besideClearText !== undefined;
      return isUnsure ? this.#tellTlsFromHere(first) : protocol;
    };
    sniff(socket, tell, (protocol) => {
      limit.cancel();
      if (protocol !== 'tls') this.#serve(socket, protocol);
      // A handshake within TLS, or without a certificate, is garbage and answered as such.
      else if (this.#tls === undefined || isEncrypted(socket)) this.#serve(socket, 'http1');
      else this.#tls.emit('connection', socket);
    });
  }

  /**
   * Public Go clients test by a handshake whether a port speaks TLS. They offer no protocol, and continue in clear text
   * if the answer is not TLS; otherwise they would require a certificate that they cannot check. A client that wants
   * TLS offers a protocol, or knows the name. Undefined while bytes are missing.
   */
  #tellTlsFromHere(first: Buffer): 'tls' | 'http1' | undefined {
    const hello = readClientHello(first);
    if (hello === undefined) return undefined;
    const { serverName, offersProtocols } = hello;
    const isNamed =
      serverName !== '' && serverName !== 'localhost' && this.#besideClearText?.checkHost(serverName) !== undefined;
    return isNamed || offersProtocols ? 'tls' : 'http1';
  }

  #serve(socket: Socket, protocol: Exclude<Protocol, 'tls'>): void {
    if (protocol === 'http1') {
      this.#http.emit('connection', socket);
      return;
    }
    // Before the session takes the socket's handle. A page may leave a download unread for longer: not HTTP/1.1.
    if (this.#options.setTcpUserTimeout !== undefined) applyTcpUserTimeout(socket, this.#options.setTcpUserTimeout);
    const connection = new TrackedConnection(socket, 'grpc', isEncrypted(socket), true);
    const webConnection = new TrackedConnection(socket, 'grpc-web', isEncrypted(socket), true);
    const session = http2.performServerHandshake(socket, UNPROVEN_OPTIONS);
    this.#sessions.add(session);
    this.#webConnections.set(session, webConnection);
    const limit = this.#options.clock.after(FIRST_WORDS_MS, () => session.destroy());
    session.once('remoteSettings', () => limit.cancel());
    connection.limits?.onProof(() => {
      if (session.closed || session.destroyed) return;
      session.setLocalWindowSize(SESSION_WINDOW_BYTES);
      session.settings(HTTP2_OPTIONS.settings ?? {});
    });
    session.on('error', (error: Error) => this.#logger.debug('An HTTP/2 session broke.', { error: error.message }));
    session.once('close', () => {
      limit.cancel();
      this.#sessions.delete(session);
      connection.close();
      webConnection.close();
    });
    this.#grpc.serve(session, connection);
  }

  /** A request over HTTP/2 that is not gRPC looks like any other request to its handlers. */
  #onOtherStream(stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void {
    const connection = stream.session === undefined ? undefined : this.#webConnections.get(stream.session);
    if (connection === undefined) {
      stream.close();
      return;
    }
    stream.on('error', () => undefined);
    // The compatibility classes have what our handlers use of the HTTP/1.1 ones.
    const request = new http2.Http2ServerRequest(stream, headers, {}, []) as unknown as IncomingMessage;
    const response = new http2.Http2ServerResponse(stream) as unknown as ServerResponse;
    this.#routes.handle(request, response, connection);
  }
}

/** Browsers offer both and need HTTP/1.1 for the WebSocket; a gRPC client offers `h2` alone. */
function chooseProtocol(offered: readonly string[]): string | undefined {
  return ['http/1.1', 'h2'].find((protocol) => offered.includes(protocol));
}

function isEncrypted(socket: Socket): boolean {
  return (socket as Partial<TLSSocket>).encrypted === true;
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}

function answerGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, text]: [string, string] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers of the request have more than 64 KiB.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request took too long to arrive.']
        : ['400 Bad Request', 'This port speaks gRPC, gRPC-Web, HTTP and WebSocket; what came is none of them.'];
  answerSocket(socket, status, `${text}\n`);
}
