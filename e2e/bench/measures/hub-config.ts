import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { ConfigServiceDefinition, type WatchResponse } from '../../../proto/gen/core/config/v1/config.ts';
import { revisionOf } from '../../../src-main/base/revision.ts';
import { MachineClient } from '../../harness/machine-client.ts';
import { startServer } from '../../harness/server-process.ts';
import type { Measure, Outcome } from '../measure.ts';
import { endAtExit, LOAD_CPU } from '../pinned-process.ts';
import { startEtcd, type Etcd } from '../servers/etcd.ts';
import { firstPart, pinnedTo, startBenchHub, type BenchHub } from '../servers/hub.ts';
import { median, quantile, rowOf } from '../statistics.ts';
import { writeFile } from 'node:fs/promises';

/** Per round: 200 changes in the usual five. */
const CHANGES = 40;
const WARM_UP = 10;

const textOf = (number: number): string =>
  JSON.stringify({
    components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: 60 + number } }],
    services: [],
    notes: 'x'.repeat(4_000),
  });

/** Changes a configuration and returns the milliseconds until it has arrived. */
type Change = (number: number) => Promise<number>;

/** Follows something and is notified of its changes. */
class Follower {
  #latest = '';
  #told: () => void = () => undefined;

  tell(value: string): void {
    this.#latest = value;
    this.#told();
  }

  async has(value: string): Promise<void> {
    while (this.#latest !== value) await new Promise<void>((resolve) => (this.#told = resolve));
  }
}

async function times(change: Change, from: number, count: number): Promise<number[]> {
  const found: number[] = [];
  for (let number = from; number < from + count; number++) found.push(await change(number));
  return found;
}

interface Following {
  readonly apply: Change;
  readonly update: Change;
  end(): Promise<void>;
}

/** A machine that joined the hub, and the two ways to change its configuration. */
async function joinedMachine(hub: BenchHub, scratch: string): Promise<Following> {
  const { partId, secret } = await firstPart(hub);
  const home = await mkdtemp(path.join(scratch, 'joined-'));
  const ca = path.join(home, 'authority.pem');
  await writeFile(ca, hub.authority);
  const cloud = { id: partId, secret, app_address: hub.process.url, ca };
  const config = JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } });
  const server = await startServer({ config, home, through: pinnedTo(LOAD_CPU) });
  endAtExit(server.process);
  const machine = new MachineClient(server);
  const ready = new Follower();
  const watch = machine.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
  watch.on('data', ({ appliedRevision, revision }: WatchResponse) => {
    if (appliedRevision === revision) ready.tell(revision);
  });
  watch.on('error', () => undefined);
  const headers = { authorization: `Bearer ${hub.owner.token}` };
  let base = '';
  const timed = async (number: number, store: (text: string) => Promise<unknown>): Promise<number> => {
    const text = textOf(number);
    const startedAt = performance.now();
    const stored = store(text);
    await ready.has(revisionOf(text));
    const ms = performance.now() - startedAt;
    await stored;
    base = revisionOf(text);
    return ms;
  };
  return {
    apply: (number) =>
      timed(number, (text) => {
        const request = { partId, text, baseRevision: base, author: '', note: '' };
        return hub.owner.grpc.call(ConfigServiceDefinition, 'apply', request, { headers });
      }),
    update: (number) =>
      timed(number, (text) =>
        hub.owner.call('updateRobotPart', { id: partId, name: '', robotConfig: undefined, robotConfigJson: text }),
      ),
    end: async () => {
      watch.cancel();
      machine.close();
      await server.stop();
    },
  };
}

async function followedKey(etcd: Etcd): Promise<Change> {
  const follower = new Follower();
  await etcd.watch('config', (value) => follower.tell(value.toString()));
  return async (number) => {
    const text = textOf(number);
    const startedAt = performance.now();
    const stored = etcd.put('config', Buffer.from(text));
    await follower.has(text);
    const ms = performance.now() - startedAt;
    await stored;
    return ms;
  };
}

/**
 * From a change at the hub until the machine runs it, over TLS; the peer is etcd with a put and a watch, equally
 * durable.
 */
export const hubConfig: Measure = {
  name: 'hub-config',
  isDefault: true,
  async run({ rounds, scratchFolder, note }): Promise<readonly Outcome[]> {
    const etcd = await startEtcd(scratchFolder, note);
    const hub = await startBenchHub(scratchFolder);
    const machine = await joinedMachine(hub, scratchFolder);
    try {
      const ways = { apply: machine.apply, update: machine.update, put: await followedKey(etcd) } as const;
      type Way = keyof typeof ways;
      const found: Record<Way, number[][]> = { apply: [], update: [], put: [] };
      let number = 1;
      for (let round = 0; round <= rounds; round++) {
        for (const way of Object.keys(ways) as Way[]) {
          const count = round === 0 ? WARM_UP : CHANGES;
          const ms = await times(ways[way], number, count);
          number += count;
          if (round > 0) found[way].push(ms);
        }
      }
      const peer = { p50: found.put.map(median), p99: quantile(found.put.flat(), 0.99) };
      const rowsOf = (way: Way, what: string): Outcome[] => [
        rowOf(
          {
            name: `${what}, p50`,
            what: 'until the machine runs it / etcd: put until its watch tells',
            unit: 'ms',
            target: undefined,
          },
          { ours: found[way].map(median), peer: peer.p50 },
          {},
        ),
        rowOf(
          {
            name: `${what}, p99`,
            what: `of ${found[way].flat().length} changes`,
            unit: 'ms',
            target: { kind: 'at most', value: 10 },
          },
          { ours: [quantile(found[way].flat(), 0.99)], peer: [peer.p99] },
          { most: Math.max(...found[way].flat()), 'most of the peer': Math.max(...found.put.flat()) },
        ),
      ];
      return [...rowsOf('apply', 'hub change, Apply'), ...rowsOf('update', 'hub change, UpdateRobotPart')];
    } finally {
      await machine.end();
      await hub.end();
      await etcd.end();
    }
  },
};
