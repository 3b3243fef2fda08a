import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DataServiceDefinition, type ExportTabularDataResponse } from '../../proto/gen/core/app/data/v1/data.ts';
import { DataManagerServiceDefinition } from '../../proto/gen/core/service/datamanager/v1/data_manager.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { spread, tell } from './figures.ts';
import { draws } from './random-draws.ts';

const MINUTES = 5;
const HZ = 100;
/** The most that a kill may lose, ms: readings waiting to be written, and a turn of a busy event loop. */
const MAX_LOST_MS = 60;

/** An analog of board `fake` counts 1, 2, ... 1000, 0, 1, ...: each read returns the next number. */
const COUNTS = 1_001;
const config = JSON.stringify({
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
});

/** A run of a machine, from its first reading to its last. */
interface Life {
  readonly killedAt: number;
  readonly lastAt: number;
}

describe('captured data', () => {
  it(
    `${MINUTES} minutes of kills of machine and hub: each reading is stored once, in order, and next to none is missing`,
    async () => {
      const fleet = await Fleet.start();
      const partId = await fleet.partId();
      await fleet.setConfig(partId, config);
      const joins = await fleet.configOf(partId);
      const home = await mkdtemp(path.join(os.tmpdir(), 'armature-soak-capture-'));
      onTestFinished(() => rm(home, { recursive: true, force: true }));
      let server: ServerProcess = await startServer({ config: joins, home });
      onTestFinished(async () => void (await server.stop()));

      const kills: number[] = [];
      let hubKills = 0;
      const random = draws(20_261);
      const endAt = Date.now() + MINUTES * 60_000;
      while (Date.now() < endAt) {
        // Long enough for something to be captured, and at a random moment of a sync.
        await new Promise((resolve) => setTimeout(resolve, 1_500 + random.next().value * 4_000));
        if (random.next().value < 0.6) {
          kills.push(Date.now());
          await server.crash();
          server = await startServer({ config: joins, home });
        } else {
          await fleet.hub.crash();
          hubKills++;
          fleet.owner.close();
          await fleet.restart();
          fleet.owner = await fleet.logIn();
        }
      }

      const machine = new MachineClient(server.url);
      onTestFinished(() => machine.close());
      await until(
        'all of it is at the hub',
        () =>
          machine.grpc.call(DataManagerServiceDefinition, 'sync', { name: 'data' }).then(
            () => true,
            () => false,
          ),
        60_000,
      );
      const stored = await exported(fleet, partId);
      const lives = livesOf(stored, kills);
      const lost = lives.map(({ killedAt, lastAt }) => Math.max(0, killedAt - lastAt - 1_000 / HZ));
      tell(
        `${stored.length} readings at ${HZ} Hz over ${kills.length} kills of the machine and ${hubKills} of the hub: each stored once; lost before a kill: ${spread(lost)}`,
      );
      expect(kills.length).toBeGreaterThan(10);
      expect(hubKills).toBeGreaterThan(5);
      expect(Math.max(...lost)).toBeLessThan(MAX_LOST_MS);
    },
    (MINUTES + 3) * 60_000,
  );
});

async function exported(fleet: Fleet, partId: string): Promise<ExportTabularDataResponse[]> {
  const all: ExportTabularDataResponse[] = [];
  const request = {
    partId,
    resourceName: 'bench',
    resourceSubtype: 'core:component:board',
    methodName: 'Analogs',
    interval: undefined,
    additionalParameters: undefined,
  };
  for await (const row of fleet.stream(DataServiceDefinition, 'exportTabularData', request)) {
    all.push(row as ExportTabularDataResponse);
  }
  return all;
}

/** Splits the stored readings at the kills, and checks that each piece counts without a gap or a duplicate. */
function livesOf(stored: readonly ExportTabularDataResponse[], kills: readonly number[]): Life[] {
  const lives: Life[] = [];
  let next: number | undefined;
  let lastAt = 0;
  for (const { timeCaptured, payload } of stored) {
    const at = timeCaptured?.getTime() ?? 0;
    const count = Number(payload?.['value']);
    if (next !== undefined && count !== next) {
      // A restarted program counts from the beginning.
      expect(count, `after ${next - 1}, at ${new Date(at).toISOString()}`).toBe(1);
      const killedAt = kills.findLast((kill) => kill < at) ?? 0;
      expect(killedAt, 'the program began to count anew, and nobody had killed it').toBeGreaterThan(lastAt - 1_000);
      lives.push({ killedAt, lastAt });
    }
    next = (count + 1) % COUNTS;
    lastAt = at;
  }
  expect(lives.length).toBe(kills.length);
  return lives;
}
