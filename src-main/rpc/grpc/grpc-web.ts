import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { ArmatureError, toStatus } from '../../base/errors.ts';
import { StatusCode, type Status } from '../../base/status.ts';
import type { Connection } from '../call.ts';
import { addMetadata, parseGrpcTimeout, statusTrailers } from './grpc-headers.ts';
import { processInflation, type InflatedMessage } from './gzip.ts';
import type { ByteBudget } from '../byte-budget.ts';
import type { LimitedConnection } from '../limited-connection.ts';
import { frameMessage, type FramedMessage } from './message-assembler.ts';
import type { MetadataRecord } from '../metadata.ts';
import { RequestFeed } from '../routing/request-feed.ts';
import type { RequestSink, Responder, Router } from '../router.ts';

const TRAILERS_FLAG = 0x80;
const CONTENT_TYPE = /^application\/grpc-web(-text)?(\+proto)?\s*(;|$)/i;

/** Whether a request is gRPC-Web (grpc/grpc: doc/PROTOCOL-WEB.md). */
export function isGrpcWebRequest(request: IncomingMessage): boolean {
  return request.method === 'POST' && CONTENT_TYPE.test(request.headers['content-type'] ?? '');
}

/** Whether it is a browser's preflight request. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
}

/** Answers a preflight of an allowed origin: every header may be sent. */
export function answerPreflight(
  request: IncomingMessage,
  response: ServerResponse,
  corsOrigin: string | undefined,
): void {
  const headers: OutgoingHttpHeaders = { vary: 'origin, access-control-request-headers' };
  if (corsOrigin !== undefined) {
    headers['access-control-allow-origin'] = corsOrigin;
    headers['access-control-allow-methods'] = 'POST, OPTIONS';
    headers['access-control-allow-headers'] = request.headers['access-control-request-headers'] ?? 'content-type';
    headers['access-control-max-age'] = '600';
    if (request.headers['access-control-request-private-network'] === 'true') {
      headers['access-control-allow-private-network'] = 'true';
    }
  }
  response.writeHead(204, headers).end();
}

export interface GrpcWebOptions {
  readonly router: Router;
  /** Largest request that is taken. */
  readonly maxMessageBytes: number;
}

/** Takes one gRPC-Web request to the router; over HTTP/1.1 or HTTP/2. */
export function serveGrpcWeb(
  options: GrpcWebOptions,
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection,
  corsOrigin: string | undefined,
): void {
  const isText = CONTENT_TYPE.exec(request.headers['content-type'] ?? '')?.[1] !== undefined;
  const call = new GrpcWebCall(options.maxMessageBytes, request, response, isText, corsOrigin, connection.limits);
  const encoding = request.headers['grpc-encoding'];
  if (encoding !== undefined && encoding !== 'identity' && encoding !== 'gzip') {
    const message = `Requests in the encoding "${String(encoding)}" are not read; send gzip or identity.`;
    call.end({ code: StatusCode.UNIMPLEMENTED, message }, {});
    return;
  }
  try {
    const timeoutMs = parseGrpcTimeout(request.headers['grpc-timeout']);
    const path = (request.url ?? '').split('?', 1)[0] as string;
    call.open(options.router.start({ path, metadata: request.headers, timeoutMs, connection }, call));
  } catch (thrown) {
    call.end(toStatus(thrown), {});
  }
}

class GrpcWebCall implements Responder {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #isText: boolean;
  readonly #corsOrigin: string | undefined;
  readonly #limits: LimitedConnection | undefined;
  readonly #inflatedShare: ByteBudget;
  #maxMessageBytes: number;
  #unfinishedBytes = 0;
  #sink: RequestSink | undefined;
  #feed: RequestFeed | undefined;
  #inflated: InflatedMessage | undefined;
  /** Base64 digits that do not form a complete byte yet. */
  #textRest = '';
  #hasEnded = false;
  #hasResponded = false;

  constructor(
    maxMessageBytes: number,
    request: IncomingMessage,
    response: ServerResponse,
    isText: boolean,
    corsOrigin: string | undefined,
    limits: LimitedConnection | undefined,
  ) {
    this.#limits = limits;
    this.#inflatedShare = limits?.inflated ?? processInflation.share();
    this.#maxMessageBytes = maxMessageBytes;
    this.#request = request;
    this.#response = response;
    this.#isText = isText;
    this.#corsOrigin = corsOrigin;
    // 'close' follows both and ends the call.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    response.on('close', () => {
      this.#hasEnded = true;
      this.#feed?.stop();
      this.#inflated?.release();
      this.#countUnfinished(0);
      this.#sink?.cancel('its caller is gone');
    });
  }

  open(sink: RequestSink): void {
    const { admission, maxRequestBytes } = sink;
    if (maxRequestBytes !== undefined) this.#maxMessageBytes = maxRequestBytes;
    const feed = new RequestFeed(this.#maxMessageBytes, sink, this.#request, (message) => this.#readFlagged(message));
    this.#sink = sink;
    this.#feed = feed;
    // It may have been refused already: its data is dropped.
    if (this.#hasEnded) feed.stop();
    const read = (): void => {
      this.#request.on('data', (chunk: Buffer) => {
        feed.push(this.#isText ? this.#fromText(chunk) : chunk);
        this.#countUnfinished(this.#hasEnded ? 0 : feed.buffered);
      });
      this.#request.on('end', () => feed.complete());
    };
    if (admission === undefined) read();
    else void admission.then(read);
  }

  #countUnfinished(bytes: number): void {
    if (bytes !== this.#unfinishedBytes) this.#limits?.hold(bytes - this.#unfinishedBytes);
    this.#unfinishedBytes = bytes;
  }

  #fromText(chunk: Buffer): Buffer {
    const text = this.#textRest + chunk.toString('latin1');
    const whole = text.length - (text.length % 4);
    this.#textRest = text.slice(whole);
    return Buffer.from(text.slice(0, whole), 'base64');
  }

  async #readFlagged(message: FramedMessage): Promise<Uint8Array | undefined> {
    // Trailers of a request: they contain nothing for us.
    if (message.flags === TRAILERS_FLAG) return undefined;
    if (message.flags !== 1 || this.#request.headers['grpc-encoding'] !== 'gzip') {
      throw new ArmatureError('call.bad_argument', `The message has the unexpected flags ${message.flags}.`);
    }
    this.#inflated?.release();
    this.#inflated = processInflation.start(message.bytes, this.#maxMessageBytes, this.#inflatedShare);
    return this.#inflated.bytes;
  }

  headers(metadata: MetadataRecord): void {
    this.#respond(metadata);
  }

  message(bytes: Uint8Array, _isLast: boolean): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    this.#respond({});
    if (this.#write(frameMessage(bytes, 0))) return undefined;
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#response.off('drain', settle);
        this.#response.off('close', settle);
        resolve();
      };
      this.#response.on('drain', settle);
      this.#response.on('close', settle);
    });
  }

  end(status: Status, trailers: MetadataRecord): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#feed?.stop();
    this.#inflated?.release();
    this.#countUnfinished(0);
    const ending = statusTrailers(status, trailers);
    if (!this.#hasResponded) {
      this.#writeHead(ending);
    } else {
      let text = '';
      for (const [key, value] of Object.entries(ending)) {
        for (const one of typeof value === 'string' ? [value] : value) text += `${key}: ${one}\r\n`;
      }
      this.#write(frameMessage(Buffer.from(text, 'latin1'), TRAILERS_FLAG));
    }
    // The caller's remaining data is read and dropped, otherwise it could not read the answer.
    this.#request.resume();
    this.#response.end();
  }

  #respond(metadata: MetadataRecord): void {
    if (this.#hasResponded || this.#hasEnded) return;
    const headers: Record<string, string | string[]> = {};
    addMetadata(headers, metadata);
    this.#writeHead(headers);
  }

  #writeHead(headers: Record<string, string | string[]>): void {
    this.#hasResponded = true;
    const exposed = ['grpc-status', 'grpc-message', ...Object.keys(headers)];
    const all: OutgoingHttpHeaders = {
      'content-type': this.#isText ? 'application/grpc-web-text+proto' : 'application/grpc-web+proto',
      'cache-control': 'no-store',
      ...headers,
    };
    if (this.#corsOrigin !== undefined) {
      all['access-control-allow-origin'] = this.#corsOrigin;
      all['access-control-expose-headers'] = [...new Set(exposed)].join(', ');
      all['vary'] = 'origin';
    }
    this.#response.writeHead(200, all);
    // The headers tell the page that the call was accepted, long before the first message.
    this.#response.flushHeaders();
  }

  #write(frame: Buffer): boolean {
    return this.#response.write(this.#isText ? frame.toString('base64') : frame);
  }
}
