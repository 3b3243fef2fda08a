import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import {
  Resource_State,
  StatusServiceDefinition,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import { windowBench } from '../../fixtures/window-bench.ts';
import { GrpcClient } from '../../harness/grpc-client.ts';
import { startServer } from '../../harness/server-process.ts';
import type { Measure } from '../measure.ts';
import { DrawnText, wallClock, withBrowser } from '../page/browser.ts';
import { median, rowOf } from '../statistics.ts';

/** Changes per round; the round's figure is their median. */
const CHANGES = 20;

const disabledClimate = windowBench.replace('{ "name": "climate",', '{ "name": "climate", "disabled": true,');
const peerPage = `<!doctype html><title>peer</title><div id="text">0</div><script>
  new WebSocket('ws://' + location.host).onmessage = ({ data }) => { document.getElementById('text').textContent = data; };
</script>`;

/** When this process receives the change too: the earliest that anything outside the machine can know it. */
class ChangeWatcher {
  readonly #stream;
  #waiting: { readonly state: Resource_State; readonly resolve: (time: number) => void } | undefined;

  constructor(client: GrpcClient) {
    this.#stream = client.stream(StatusServiceDefinition, 'watch', {});
    this.#stream.on('data', ({ event }: WatchResponse) => {
      const time = wallClock();
      const resources = event?.$case === 'changes' ? event.value.upserted : [];
      const climate = resources.find(({ name }) => name.endsWith('/climate'));
      if (climate?.state === this.#waiting?.state) this.#waiting?.resolve(time);
    });
    this.#stream.on('error', () => undefined); // it ends as cancelled
  }

  until(state: Resource_State): Promise<number> {
    return new Promise((resolve) => (this.#waiting = { state, resolve }));
  }

  end(): void {
    this.#stream.cancel();
  }
}

async function apply(client: GrpcClient, text: string): Promise<void> {
  const { revision } = await client.call(ConfigServiceDefinition, 'get', { partId: '' });
  await client.call(ConfigServiceDefinition, 'apply', {
    partId: '',
    text,
    baseRevision: revision,
    author: 'bench',
    note: '',
  });
}

/** Median ms from a change of state until the header, which counts the ready resources, shows it. */
async function ours(drawn: DrawnText, client: GrpcClient, watcher: ChangeWatcher): Promise<number> {
  const delays: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const isOff = change % 2 === 0;
    const changed = watcher.until(isOff ? Resource_State.DISABLED : Resource_State.READY);
    const seen = drawn.next(isOff ? /4 of 4 ready/ : /5 of 5 ready/);
    await apply(client, isOff ? disabledClimate : windowBench);
    delays.push(-(await changed) + (await seen));
  }
  return median(delays);
}

async function peer(drawn: DrawnText, socket: WebSocket): Promise<number> {
  const delays: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    const text = change % 2 === 0 ? 'on' : 'off';
    const seen = drawn.next(new RegExp(`^${text}$`));
    const time = wallClock();
    socket.send(text);
    delays.push((await seen) - time);
  }
  return median(delays);
}

/**
 * From a change of a resource's state to the pixel, compared with a page that only puts a WebSocket's text in an
 * element.
 */
export const pageLatency: Measure = {
  name: 'page-latency',
  isDefault: true,
  run: ({ rounds }) =>
    withBrowser(async (_browser, open) => {
      const machine = await startServer({ config: windowBench });
      const client = new GrpcClient(machine);
      const watcher = new ChangeWatcher(client);
      const peerServer = http.createServer((_request, response) =>
        response.setHeader('content-type', 'text/html').end(peerPage),
      );
      const sockets = new WebSocketServer({ server: peerServer });
      try {
        const page = await open();
        await page.goto(machine.pageUrl);
        await page.getByText('5 of 5 ready').waitFor();
        const header = await DrawnText.of(page, 'header');

        peerServer.listen(0, 'localhost');
        await once(peerServer, 'listening');
        const connected = once(sockets, 'connection') as Promise<[WebSocket]>;
        const other = await open();
        await other.goto(`http://localhost:${(peerServer.address() as AddressInfo).port}/`);
        const [socket] = await connected;
        const element = await DrawnText.of(other, '#text');

        const figures = { ours: [] as number[], peer: [] as number[] };
        for (let round = 0; round <= rounds; round++) {
          await page.bringToFront();
          const own = await ours(header, client, watcher);
          await other.bringToFront();
          const bare = await peer(element, socket);
          if (round === 0) continue;
          figures.ours.push(own);
          figures.peer.push(bare);
        }
        return [
          rowOf(
            {
              name: 'state to pixel',
              what: 'a resource changes state: told over gRPC until drawn / a bare page: text sent until drawn',
              unit: 'ms',
              target: undefined,
            },
            figures,
            { 'changes a round': CHANGES },
          ),
        ];
      } finally {
        watcher.end();
        client.close();
        sockets.close();
        peerServer.close();
        peerServer.closeAllConnections();
        await machine.stop();
      }
    }),
};
