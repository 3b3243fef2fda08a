/**
 * A receiver of webhooks that may be killed: `node receiver-process.ts PORT FILE`. It writes each request to the file,
 * as a line of JSON, before it answers: after a kill in between, the request is sent again.
 */
import { createWriteStream } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request, as a line of the file. */
export interface KeptRequest {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** `webhook-id`. */
  readonly id: string;
  readonly body: string;
}

/** Duration of its work before it answers. */
const WORK_MS = 100;

const [port = '0', file = ''] = process.argv.slice(2);
const kept = createWriteStream(file, { flags: 'a' });
const server = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const line: KeptRequest = {
      at: Date.now(),
      method: request.method ?? '',
      path: request.url ?? '',
      id: String(request.headers['webhook-id']),
      body: Buffer.concat(chunks).toString('utf8'),
    };
    kept.write(`${JSON.stringify(line)}\n`, () => setTimeout(() => response.end(), WORK_MS));
  });
});
server.listen(Number(port), '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});
