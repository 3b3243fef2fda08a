import type { ClientReadableStream } from '@grpc/grpc-js';
import type { Measure } from '../measure.ts';
import { ConfigServiceDefinition } from '../../../proto/gen/core/config/v1/config.ts';
import {
  Resource_State,
  StatusServiceDefinition,
  type Resource,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import { GrpcClient } from '../../harness/grpc-client.ts';
import { independentConfig } from '../machine-configs.ts';

import { msToVersion, startArmature } from '../servers/armature.ts';
import { median, rowOf } from '../statistics.ts';

const LARGE = 1_000;
const SMALL = 100;
/** How often each is applied in a round; the round's figure is the median. */
const REPEATS = 5;

/** The resources of a machine, followed through StatusService. */
class MachineView {
  readonly #stream: ClientReadableStream<WatchResponse>;
  readonly #events: AsyncIterator<WatchResponse>;
  readonly #resources = new Map<string, Resource>();

  constructor(client: GrpcClient) {
    this.#stream = client.stream(StatusServiceDefinition, 'watch', {});
    this.#events = this.#stream[Symbol.asyncIterator]() as AsyncIterator<WatchResponse>;
  }

  /** Resolves when there are exactly `count` resources and all of them are ready. */
  async untilReady(count: number): Promise<void> {
    while (!this.#areReady(count)) {
      const next = await this.#events.next();
      if (next.done === true) throw new Error('the server ended its stream of states');
      this.#take(next.value);
    }
  }

  end(): void {
    this.#stream.on('error', () => undefined); // it ends as cancelled
    this.#stream.cancel();
  }

  #areReady(count: number): boolean {
    if (this.#resources.size !== count) return false;
    for (const { state } of this.#resources.values()) if (state !== Resource_State.READY) return false;
    return true;
  }

  #take({ event }: WatchResponse): void {
    if (event?.$case === 'snapshot') this.#resources.clear();
    const upserted = event?.$case === 'snapshot' ? event.value.resources : (event?.value.upserted ?? []);
    for (const resource of upserted) this.#resources.set(resource.name, resource);
    if (event?.$case === 'changes') for (const name of event.value.removed) this.#resources.delete(name);
  }
}

/** Applies a text and returns the milliseconds until all of it is ready. */
async function apply(client: GrpcClient, view: MachineView, text: string, count: number): Promise<number> {
  const { revision } = await client.call(ConfigServiceDefinition, 'get', { partId: '' });
  const startedAt = performance.now();
  const { outcome } = await client.call(ConfigServiceDefinition, 'apply', {
    partId: '',
    text,
    baseRevision: revision,
    author: 'bench',
    note: '',
  });
  if (outcome?.$case !== 'applied') throw new Error(`Apply answered ${outcome?.$case ?? 'nothing'}`);
  await view.untilReady(count);
  return performance.now() - startedAt;
}

/**
 * From Apply until all resources are ready, for a large machine and a small one, through the services that the page
 * uses.
 */
export const applyMeasure: Measure = {
  name: 'apply',
  isDefault: true,
  async run({ rounds, scratchFolder }) {
    const server = await startArmature(scratchFolder, (port) => independentConfig(port, 0));
    try {
      await msToVersion(server);
      const client = new GrpcClient(server);
      const view = new MachineView(client);
      const fill = async (count: number): Promise<number> => {
        const elapsedMs = await apply(client, view, independentConfig(server.port, count), count);
        await apply(client, view, independentConfig(server.port, 0), 0);
        return elapsedMs;
      };
      const large: number[] = [];
      const small: number[] = [];
      for (let round = 0; round <= rounds; round++) {
        const largeMs: number[] = [];
        const smallMs: number[] = [];
        for (let repeat = 0; repeat < REPEATS; repeat++) {
          largeMs.push(await fill(LARGE));
          smallMs.push(await fill(SMALL));
        }
        if (round === 0) continue; // warms up
        large.push(median(largeMs));
        small.push(median(smallMs));
      }
      view.end();
      client.close();
      return [
        rowOf(
          {
            name: 'apply',
            what: 'until ready: 1,000 independent resources / 100',
            unit: 'ms',
            target: { kind: 'at most', value: 10 },
          },
          { ours: large, peer: small },
          {
            'times a round': REPEATS,
            'us a resource, of 1,000': (median(large) * 1_000) / LARGE,
            'of 100': (median(small) * 1_000) / SMALL,
          },
        ),
      ];
    } finally {
      await server.end();
    }
  },
};
