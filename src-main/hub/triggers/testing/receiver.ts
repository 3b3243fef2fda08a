import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  /** With names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
  /** Header names as they were sent. */
  readonly names: readonly string[];
  readonly body: string;
}

type Answer = (request: ReceivedRequest, response: http.ServerResponse) => void;

/** A webhook receiver on this computer. */
export class Receiver {
  readonly requests: ReceivedRequest[] = [];
  answer: Answer = (_request, response) => response.end('ok');
  readonly #server: http.Server;
  #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const received = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          names: request.rawHeaders.filter((_, index) => index % 2 === 0),
          body: Buffer.concat(chunks).toString('utf8'),
        };
        this.requests.push(received);
        for (const resolve of this.#waiting.splice(0)) resolve();
        this.answer(received, response);
      });
    });
  }

  /** @param port 0 for a free one */
  static async listen(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Settles when this number of requests has come. */
  async until(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
