import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { toStatus } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { StatusCode } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import { isGrpcContentType, parseGrpcTimeout } from './grpc-headers.ts';
import { GrpcStream, refuseStream, type GrpcStreamContext, type SessionBytes } from './grpc-stream.ts';
import { processInflation } from './gzip.ts';
import { headerBytesOf, MAX_UNPROVEN_HEADERS, type LimitedConnection } from '../limited-connection.ts';
import type { Responder, Router } from '../router.ts';
import { STATUS_DETAILS_KEY } from './status-details.ts';

/**
 * Most bytes of answers that a session may have waiting for a caller that does not read; beyond that, its calls are
 * refused.
 */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024;

/** How silent peers are detected. */
export interface KeepaliveOptions {
  /** Interval of pings. */
  readonly intervalMs: number;
  /** A peer that has not answered within this time counts as dead. */
  readonly timeoutMs: number;
  /** Pings only peers that have sent nothing since the last check: for thousands that ping by themselves. */
  readonly isForQuiet?: boolean;
}

export interface GrpcHttp2Options {
  readonly router: Router;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Largest request that is accepted. */
  readonly maxMessageBytes: number;
  readonly keepalive: KeepaliveOptions;
  /** Handles streams that are not gRPC: gRPC-Web and the page. */
  readonly onOtherStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
  /** Whether the details of errors are hidden from a caller. If missing, from none. */
  readonly withholdsDetails?: (headers: IncomingHttpHeaders) => boolean;
}

/**
 * gRPC over bare HTTP/2 (grpc/grpc: doc/PROTOCOL-HTTP2.md): turns each stream
 * of a session into a call of the router.
 */
export class GrpcHttp2 {
  readonly #options: GrpcHttp2Options;
  readonly #context: GrpcStreamContext;

  constructor(options: GrpcHttp2Options) {
    this.#options = options;
    this.#context = { logger: options.logger, maxMessageBytes: options.maxMessageBytes };
  }

  /** Serves a session until it closes. Its owner reports the end of the connection. */
  serve(session: ServerHttp2Session, connection: Connection): void {
    const { limits } = connection;
    const inflated = limits?.inflated ?? processInflation.share();
    const held: SessionBytes = { unsent: 0, unfinished: 0, inflated, limits };
    session.on('stream', (stream, headers) => {
      if (limits?.proof === 'none' && !takesRequest(limits, stream, headers)) return;
      const contentType = headers['content-type'];
      if (contentType !== undefined && isGrpcContentType(contentType)) {
        this.#accept(stream, headers, connection, held);
      } else {
        this.#options.onOtherStream(stream, headers);
      }
    });
    this.#keepAlive(session);
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, connection: Connection, held: SessionBytes): void {
    if (headers[':method'] !== 'POST') {
      refuseRequest(stream, 405, { allow: 'POST' });
      return;
    }
    const { te } = headers;
    if (te !== undefined && te !== 'trailers') {
      refuseRequest(stream, 400, {});
      return;
    }
    const encoding = headers['grpc-encoding'] as string | undefined;
    if (encoding !== undefined && encoding !== 'identity' && encoding !== 'gzip') {
      const message = `Requests in the encoding "${encoding}" are not read; send gzip or identity.`;
      refuseStream(stream, { code: StatusCode.UNIMPLEMENTED, message });
      return;
    }
    if (held.unsent > MAX_UNSENT_BYTES) {
      const message = `${held.unsent} bytes of answers wait on this connection: read them before calling again.`;
      refuseStream(stream, { code: StatusCode.RESOURCE_EXHAUSTED, message });
      return;
    }
    let timeoutMs: number | undefined;
    try {
      timeoutMs = parseGrpcTimeout(headers['grpc-timeout']);
    } catch (thrown) {
      refuseStream(stream, toStatus(thrown));
      return;
    }
    const call = new GrpcStream(this.#context, stream, held, encoding === 'gzip' ? encoding : undefined);
    const path = headers[':path'] ?? '';
    const responder = this.#options.withholdsDetails?.(headers) === true ? withoutDetails(call) : call;
    call.open(this.#options.router.start({ path, metadata: headers, timeoutMs, connection }, responder));
  }

  /** Ends a session whose peer no longer answers, so that its resources are released. */
  #keepAlive(session: ServerHttp2Session): void {
    const { clock, keepalive } = this.#options;
    let heardBytes = -1;
    const interval = clock.every(keepalive.intervalMs, () => {
      if (session.closed || session.destroyed) return;
      const { bytesRead } = session.socket;
      const wasQuiet = bytesRead === heardBytes;
      heardBytes = bytesRead;
      if (keepalive.isForQuiet === true && !wasQuiet) return;
      const limit = clock.after(keepalive.timeoutMs, () => session.destroy());
      const wasSent = session.ping(() => limit.cancel());
      if (!wasSent) limit.cancel();
    });
    session.once('close', () => interval.cancel());
  }
}

/** Counts a request over an unauthenticated connection; refuses it if there are too many. */
function takesRequest(limits: LimitedConnection, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
  const bytes = headerBytesOf(headers);
  if (bytes > MAX_UNPROVEN_HEADERS) {
    // The session's settings state the limit, but the protocol does not bind a peer that has not confirmed them yet.
    limits.socket.destroy();
    return false;
  }
  if (!limits.takeRequest(bytes)) {
    limits.refused();
    const message = 'This connection has proved nothing and asks for too much at once: wait for what was asked for.';
    refuseStream(stream, { code: StatusCode.RESOURCE_EXHAUSTED, message });
    return false;
  }
  stream.once('close', () => limits.giveRequest(bytes));
  return true;
}

function withoutDetails(responder: Responder): Responder {
  return {
    headers: (metadata) => responder.headers(metadata),
    message: (bytes, isLast) => responder.message(bytes, isLast),
    end: (status, { [STATUS_DETAILS_KEY]: _, ...trailers }) => responder.end(status, trailers),
  };
}

/** Answers a request that is not gRPC with an HTTP status. */
function refuseRequest(stream: ServerHttp2Stream, status: number, headers: Readonly<Record<string, string>>): void {
  stream.on('error', () => undefined);
  stream.respond({ ':status': status, ...headers }, { endStream: true });
  stream.resume();
}
