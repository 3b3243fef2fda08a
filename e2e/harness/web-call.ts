import { request } from 'node:http';
import type { RequestOf, ServiceDefinition } from '../../src-main/rpc/service.ts';
import { methodPath } from './grpc-client.ts';

export interface WebAnswer {
  /** HTTP status. */
  readonly status: number;
  /** From the headers, or from the trailers at the end of the body. */
  readonly grpcStatus: number | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends one HTTP/1.1 request with exactly these headers; unlike fetch(), it can set `host` and `origin`. */
export function webRequest(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array,
): Promise<WebAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('latin1');
        const shown = String(response.headers['grpc-status'] ?? /grpc-status: *(\d+)/i.exec(text)?.[1] ?? '');
        resolve({
          status: response.statusCode ?? 0,
          grpcStatus: shown === '' ? undefined : Number(shown),
          text,
          headers: response.headers,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Makes one unary gRPC-Web call, as a browser does. */
export function webCall<D extends ServiceDefinition, K extends keyof D['methods'] & string>(
  url: string,
  service: D,
  method: K,
  message: RequestOf<D['methods'][K]>,
  headers: Readonly<Record<string, string>>,
): Promise<WebAnswer> {
  const bytes = service.methods[method]?.requestType.encode(message).finish() ?? new Uint8Array();
  const frame = Buffer.concat([Buffer.alloc(5), bytes]);
  frame.writeUInt32BE(bytes.length, 1);
  const all = { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1', ...headers };
  return webRequest(url + methodPath(service, method), 'POST', all, frame);
}
