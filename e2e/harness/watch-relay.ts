import type { Page } from '@playwright/test';
import { WatchRequest, WatchUpdate } from '../../proto/gen/core/watch/v1/watch.ts';
import { Request, Response } from '../../proto/gen/proto/rpc/webrtc/v1/grpc.ts';

const watchMethod = '/core.watch.v1.WatchService/Watch';

/** Stands between a page and its machine: sees what the page watches, and can change what it is told. */
export class WatchRelay {
  /** The watches that are open, by their stream. */
  readonly open = new Map<bigint, WatchRequest>();
  readonly #streams = new Set<bigint>();
  /** Streams whose last packet was not the end of a message. */
  readonly #inParts = new Set<bigint>();
  /** Called for each value on its way to the page; what it gives is what the page gets. */
  change: (update: WatchUpdate, resource: string) => WatchUpdate = (update) => update;

  /** Before the page is opened. */
  static async on(page: Page): Promise<WatchRelay> {
    const relay = new WatchRelay();
    await page.routeWebSocket(/\/channel$/, (socket) => {
      const server = socket.connectToServer();
      // A new connection counts its streams from the beginning: those of one that was lost mean something else now.
      relay.open.clear();
      relay.#streams.clear();
      socket.onMessage((message) => {
        if (typeof message !== 'string') relay.#note(message);
        server.send(message);
      });
      server.onMessage((message) => {
        socket.send(typeof message === 'string' ? message : relay.#changed(message));
      });
    });
    return relay;
  }

  /** How often the values of a resource are asked for, Hz, by what is asked. */
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
    // What comes in parts, snapshots of much, goes on as it is.
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
