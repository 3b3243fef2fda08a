import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connection } from '../call.ts';
import { answerPreflight, isGrpcWebRequest, isPreflight, serveGrpcWeb } from '../grpc/grpc-web.ts';
import type { Router } from '../router.ts';
import type { WebAccess } from './web-access.ts';

/** Whether the machine serves its resources, and why not. */
export interface Readiness {
  readonly isReady: boolean;
  /** Answers with one line. */
  readonly summary: string;
}

export interface HttpRoutesOptions {
  readonly router: Router;
  readonly webAccess: WebAccess;
  readonly maxMessageBytes: number;
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly onPage: (request: IncomingMessage, response: ServerResponse) => void;
  readonly readiness: () => Readiness;
}

const UNSUPPORTED =
  'Send protobuf messages: as application/grpc over HTTP/2, or as application/grpc-web by POST over any HTTP.\n';

/**
 * The routes of plain HTTP: health, gRPC-Web, upgrades and the page. Host and origin are checked for all except health.
 */
export class HttpRoutes {
  readonly #options: HttpRoutesOptions;

  constructor(options: HttpRoutesOptions) {
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse, connection: Connection): void {
    if (this.#answersHealth(request, response)) return;
    const check = this.#options.webAccess.checkRequest(request);
    if (!check.ok) {
      answerText(request, response, check.status, check.message);
    } else if (isPreflight(request)) {
      answerPreflight(request, response, check.corsOrigin);
    } else if (isGrpcWebRequest(request)) {
      serveGrpcWeb(this.#options, request, response, connection, check.corsOrigin);
    } else if (request.headers['content-type']?.startsWith('application/grpc') === true) {
      answerText(request, response, 415, UNSUPPORTED);
    } else {
      this.#options.onPage(request, response);
    }
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const check = this.#options.webAccess.checkRequest(request);
    if (check.ok) {
      this.#options.onUpgrade(request, socket, head);
    } else {
      answerSocket(socket, `${check.status} Refused`, check.message);
    }
  }

  #answersHealth(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    if (request.url === '/healthz/live') {
      answerText(request, response, 200, 'live\n');
    } else if (request.url === '/healthz/ready') {
      const { isReady, summary } = this.#options.readiness();
      answerText(request, response, isReady ? 200 : 503, `${summary}\n`);
    } else {
      return false;
    }
    return true;
  }
}

/** Answers with plain text if there is only a socket left, and closes it. */
export function answerSocket(socket: Duplex, status: string, text: string): void {
  const headers = [
    `HTTP/1.1 ${status}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${text}`);
}

/** Answers with a line of plain text that no browser interprets as another type. */
export function answerText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  request.resume();
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}
