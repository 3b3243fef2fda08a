import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import { WatchRequest, WatchUpdate } from '../../proto/gen/core/watch/v1/watch.ts';
import { Request, Response } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

const watchMethod = '/core.watch.v1.WatchService/Watch';

/**
 * A relay between a page and its machine: sees what the page watches, and can change the values that it gets. It is a
 * server and not a Playwright route, because a route would trace each of the hundreds of messages per second.
 */
export class WatchRelay {
  /** Address of the machine's page through the relay. */
  readonly pageUrl: string;
  /** The open watches by the id of their stream. */
  readonly open = new Map<bigint, WatchRequest>();
  readonly #streams = new Set<bigint>();
  /** Streams whose last packet was not the end of a message. */
  readonly #inParts = new Set<bigint>();
  readonly #server: Server;
  readonly #machine: URL;
  readonly #sockets = new WebSocketServer({ noServer: true, handleProtocols: ([first = '']) => first });
  /** Called for each value on its way to the page; the page gets what it returns. */
  change: (update: WatchUpdate, resource: string) => WatchUpdate = (update) => update;

  private constructor(server: Server, machine: URL) {
    this.#server = server;
    this.#machine = machine;
    const url = new URL(machine);
    url.port = String((server.address() as AddressInfo).port);
    this.pageUrl = url.href;
    server.on('request', (asked: IncomingMessage, response) => {
      const options = { method: asked.method, path: asked.url, headers: this.#headersOf(asked) };
      const asking = ask(this.#machine.origin, options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      asking.on('error', () => response.destroy());
      asked.pipe(asking);
    });
    server.on('upgrade', (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#sockets.handleUpgrade(asked, socket, head, (page) => this.#connect(asked, page));
    });
  }

  /** @param pageUrl address of the machine's page */
  static async start(pageUrl: string): Promise<WatchRelay> {
    const server = createServer().listen(0, 'localhost');
    await once(server, 'listening');
    return new WatchRelay(server, new URL(pageUrl));
  }

  async close(): Promise<void> {
    for (const page of this.#sockets.clients) page.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** How often the values of a resource are requested, Hz, by method. */
  paceOf(resource: string): Record<string, number> {
    const items = [...this.open.values()].flatMap((request) => request.items);
    return Object.fromEntries(
      items
        .filter((item) => item.resource === resource)
        .map(({ method, interval }) => {
          const ms = Number(interval?.seconds ?? 0n) * 1_000 + (interval?.nanos ?? 0) / 1e6;
          return [method, Math.round(1_000 / ms)];
        }),
    );
  }

  #connect(asked: IncomingMessage, page: WebSocket): void {
    // A new connection counts its streams from the start, so the old ids are no longer valid.
    this.open.clear();
    this.#streams.clear();
    this.#inParts.clear();
    const protocols = (asked.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
    const { host, origin } = this.#machine;
    const machine = new WebSocket(`ws://${host}${asked.url}`, protocols, { origin, perMessageDeflate: false });
    const waiting: Buffer[] = [];
    page.on('message', (data: RawData) => {
      const message = data as Buffer;
      this.#note(message);
      if (machine.readyState === WebSocket.OPEN) machine.send(message);
      else waiting.push(message);
    });
    machine.on('open', () => {
      for (const message of waiting.splice(0)) machine.send(message);
    });
    machine.on('message', (data: RawData) => page.send(this.#changed(data as Buffer)));
    for (const [one, other] of [
      [page, machine],
      [machine, page],
    ] as const) {
      one.on('close', () => other.terminate());
      one.on('error', () => other.terminate());
    }
  }

  /** The headers as if the page had come from the machine itself. */
  #headersOf({ headers }: IncomingMessage): IncomingMessage['headers'] {
    const { host, origin } = this.#machine;
    return { ...headers, host, ...(headers.origin === undefined ? {} : { origin }) };
  }

  #note(message: Buffer): void {
    const { stream, type } = Request.decode(message);
    const id = stream?.id ?? -1n;
    if (type?.$case === 'headers' && type.value.method === watchMethod) this.#streams.add(id);
    if (!this.#streams.has(id)) return;
    if (type?.$case === 'rstStream') this.open.delete(id);
    if (type?.$case === 'message' && type.value.packetMessage !== undefined) {
      this.open.set(id, WatchRequest.decode(type.value.packetMessage.data));
    }
  }

  #changed(message: Buffer): Buffer {
    const { stream, type } = Response.decode(message);
    const id = stream?.id ?? -1n;
    if (!this.#streams.has(id) || type?.$case !== 'message') return message;
    const { packetMessage } = type.value;
    if (packetMessage === undefined) return message;
    // Messages in several packets, such as large snapshots, are passed on unchanged.
    const isPart = this.#inParts.has(id) || !packetMessage.eom;
    if (packetMessage.eom) this.#inParts.delete(id);
    else this.#inParts.add(id);
    if (isPart) return message;
    const update = WatchUpdate.decode(packetMessage.data);
    const asked = this.open.get(id)?.items.find((item) => item.id === update.id);
    const data = WatchUpdate.encode(this.change(update, asked?.resource ?? '')).finish();
    return Buffer.from(
      Response.encode({
        stream: { id },
        type: { $case: 'message', value: { packetMessage: { data, eom: true } } },
      }).finish(),
    );
  }
}
