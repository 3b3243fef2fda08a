import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Delivery_State, TriggerServiceDefinition } from '../../proto/gen/core/hub/v1/trigger.ts';
import { DataManagerServiceDefinition } from '../../proto/gen/core/service/datamanager/v1/data_manager.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { KeptReceiver } from './kept-receiver.ts';
import { draws } from './random-draws.ts';
import type { KeptRequest } from './receiver-process.ts';

const MINUTES = 5;
const HZ = 100;
/** After the second failed attempt the next one is two minutes later, plus up to a fifth. */
const LONGEST_WAIT_MS = 200_000;
/** An analog of board `fake` counts 1, 2, ... 1000, 0, 1, ... */
const LIMIT = 900;
const SECONDS_BETWEEN = 7;

const captured = 'board:bench:Analogs';

function config(url: string): string {
  const webhook = (name: string, seconds = 0) => [
    { type: 'webhook', value: `${url}/${name}`, seconds_between_notifications: seconds },
  ];
  const onData = (name: string, evals: object[], seconds = 0) => ({
    name,
    event: {
      type: 'conditional_data_ingested',
      conditional: { data_capture_method: captured, conditions: { evals } },
    },
    notifications: webhook(name, seconds),
  });
  return JSON.stringify({
    components: [
      {
        name: 'bench',
        api: 'core:component:board',
        model: 'fake',
        attributes: { analogs: [{ name: 'counter', pin: '0' }] },
        service_configs: [
          {
            type: 'data_manager',
            attributes: {
              capture_methods: [
                { method: 'Analogs', capture_frequency_hz: HZ, additional_params: { reader_name: 'counter' } },
              ],
            },
          },
        ],
      },
    ],
    services: [
      { name: 'data', api: 'core:service:data_manager', model: 'builtin', attributes: { sync_interval_mins: 0.02 } },
    ],
    triggers: [
      onData('high', [{ operator: 'gt', value: { value: LIMIT } }]),
      onData('every', []),
      onData('limited', [], SECONDS_BETWEEN),
      { name: 'away', event: { type: 'part_offline' }, notifications: webhook('away') },
    ],
  });
}

interface StoredReading {
  readonly at: number;
  readonly value: number;
}

/** The readings that reached the hub in one call, and when. */
interface StoredUpload {
  readonly syncedAt: number;
  readonly readings: readonly StoredReading[];
}

/** Read directly from the database, so that no code that fires triggers is involved. */
function uploadsOf(data: string): StoredUpload[] {
  const database = new DatabaseSync(path.join(data, 'hub.sqlite'), { readOnly: true });
  try {
    const rows = database
      .prepare(
        `SELECT uploads.number, uploads.synced_at, readings.requested_at, readings.payload FROM uploads
         JOIN captures ON captures.id = uploads.capture_id AND captures.method_name = 'Analogs'
         JOIN readings ON readings.id >= uploads.number * 131072 AND readings.id < (uploads.number + 1) * 131072
         ORDER BY readings.id`,
      )
      .all() as { number: number; synced_at: number; requested_at: number; payload: string }[];
    return [...Map.groupBy(rows, ({ number }) => number).values()].map((ofOne) => ({
      syncedAt: ofOne[0]?.synced_at ?? 0,
      readings: ofOne.map(({ requested_at: at, payload }) => ({
        at,
        value: (JSON.parse(payload) as { value: number }).value,
      })),
    }));
  } finally {
    database.close();
  }
}

const keyOf = ({ at, value }: StoredReading): string => `${value} at ${at}`;

function readingIn({ body }: KeptRequest): StoredReading {
  const { data } = JSON.parse(body) as { data: { metadata: { requested_at: string }; data: { value: number } } };
  return { at: Date.parse(data.metadata.requested_at), value: data.data.value };
}

/** Ids of the messages about each reading, and the number of requests made for them. */
function messagesOf(requests: readonly KeptRequest[], name: string) {
  const ofTrigger = requests.filter((request) => request.path === `/${name}`);
  const bodies = Map.groupBy(ofTrigger, ({ id }) => id);
  for (const [id, same] of bodies) {
    expect(new Set(same.map(({ body }) => body)).size, `bodies of ${id}`).toBe(1);
  }
  const byReading = Map.groupBy(ofTrigger, (request) => keyOf(readingIn(request)));
  for (const [reading, about] of byReading) {
    expect(new Set(about.map(({ id }) => id)).size, `messages about ${reading}`).toBe(1);
  }
  return { requests: ofTrigger.length, readings: new Set(byReading.keys()) };
}

describe('triggers', () => {
  it(
    `${MINUTES} minutes of kills of machine, hub and receiver: whoever is due is told, under one id, and never beyond a limit`,
    async () => {
      const receiver = await KeptReceiver.start();
      const fleet = await Fleet.start();
      const partId = await fleet.partId();
      await fleet.call(TriggerServiceDefinition, 'setAllowedNetworks', { networks: ['127.0.0.0/8'] });
      await fleet.setConfig(partId, config(receiver.url));
      const joins = await fleet.configOf(partId);
      const home = await mkdtemp(path.join(os.tmpdir(), 'armature-soak-triggers-'));
      removeAfterTest(home);
      let server: ServerProcess = await startServer({ config: joins, home });
      onTestFinished(async () => void (await server.stop()));

      const kills = { machine: 0, hub: 0, receiver: 0 };
      const random = draws(20_262);
      const endAt = Date.now() + MINUTES * 60_000;
      while (Date.now() < endAt) {
        // Long enough for something to happen, and at a random moment of it.
        await new Promise((resolve) => setTimeout(resolve, 1_000 + random.next().value * 3_000));
        const which = random.next().value;
        if (which < 0.3) {
          kills.machine++;
          await server.crash();
          server = await startServer({ config: joins, home });
        } else if (which < 0.7) {
          kills.hub++;
          await fleet.hub.crash();
          fleet.owner.close();
          await fleet.restart();
          fleet.owner = await fleet.logIn();
        } else {
          kills.receiver++;
          await receiver.crash();
          await receiver.restart();
        }
      }

      const machine = new MachineClient(server.url);
      onTestFinished(() => machine.close());
      const sync = () => machine.grpc.call(DataManagerServiceDefinition, 'sync', { name: 'data' });
      await until(
        'all of it is at the hub',
        () =>
          sync().then(
            () => true,
            () => false,
          ),
        60_000,
      );
      const stoppedAt = Date.now();
      expect(await server.stop()).toBe(0);
      // Everything due was queued before the answer to the last upload, or soon after it.
      const waiting = async (): Promise<number> => {
        const request = { partId, trigger: '', state: Delivery_State.QUEUED, limit: 100, pageToken: '' };
        return (await fleet.call(TriggerServiceDefinition, 'listDeliveries', request)).deliveries.length;
      };
      await until('nothing waits', async () => (await waiting()) === 0, LONGEST_WAIT_MS, 500);
      await fleet.hub.stop();
      const uploads = uploadsOf(fleet.hub.data);

      // Each reading is stored exactly once, whatever was killed.
      const stored = uploads.flatMap(({ readings }) => readings);
      expect(new Set(stored.map(keyOf)).size).toBe(stored.length);

      const due = uploads.flatMap(({ readings }) => readings.find(({ value }) => value > LIMIT) ?? []);
      const high = messagesOf(receiver.requests, 'high');
      expect([...high.readings].sort()).toEqual(due.map(keyOf).sort());

      const every = messagesOf(receiver.requests, 'every');
      expect([...every.readings].sort()).toEqual(
        uploads.flatMap(({ readings }) => readings.slice(0, 1).map(keyOf)).sort(),
      );

      const limited = messagesOf(receiver.requests, 'limited');
      const isTold = ({ readings: [first] }: StoredUpload): boolean =>
        first !== undefined && limited.readings.has(keyOf(first));
      const told = uploads.filter(isTold).map(({ syncedAt }) => syncedAt);
      expect(told).toHaveLength(limited.readings.size);
      for (const [index, at] of told.entries()) {
        if (index > 0) expect(at - (told[index - 1] ?? 0)).toBeGreaterThanOrEqual(SECONDS_BETWEEN * 1_000 - 100);
      }
      for (const { syncedAt } of uploads) {
        const before = told.findLast((at) => at <= syncedAt) ?? 0;
        expect(syncedAt - before, 'neither told nor within the limit').toBeLessThan(SECONDS_BETWEEN * 1_000 + 100);
      }

      // No machine was offline for long before, so none is reported as offline.
      const away = receiver.requests.filter((request) => request.path === '/away' && request.at < stoppedAt);
      expect(away).toEqual([]);
      tell(
        `${stored.length} readings in ${uploads.length} uploads over ${kills.machine} kills of the machine, ${kills.hub} of the hub and ${kills.receiver} of the receiver: each stored once; ` +
          `${due.length + uploads.length} notifications due, all delivered in ${high.requests + every.requests} requests; ` +
          `${told.length} of ${uploads.length} kept a limit of ${SECONDS_BETWEEN} s, in ${limited.requests} requests`,
      );
      expect(Math.min(kills.machine, kills.hub, kills.receiver)).toBeGreaterThan(5);
      expect(due.length).toBeGreaterThan(10);
    },
    (MINUTES + 8) * 60_000,
  );
});
