import { once } from 'node:events';
import path from 'node:path';
import { connect } from 'node:tls';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition, type WatchResponse } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { TriggerServiceDefinition } from '../../proto/gen/core/hub/v1/trigger.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { Receiver } from '../../src-main/hub/triggers/testing/receiver.ts';
import type { HubPair } from '../harness/hub-pair.ts';
import { testCluster } from '../harness/hub-pair.ts';
import { HubClient, startOneHub, type HubProcess } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { PageChannel } from '../harness/page-channel.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const motor = (maxRpm: number, more: object = {}): string =>
  JSON.stringify({
    components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } }],
    ...more,
  });

/** A change reaches every machine within this time, whatever connection is cut. */
const REACHES_MS = 15_000;

/** A machine of the fleet. */
interface Joined {
  server: ServerProcess;
  readonly partId: string;
  /** Text of its file. */
  readonly config: string;
}

describe.skipIf(testCluster === undefined)('two hubs that serve one database', () => {
  let fleet: Fleet;
  let pair: HubPair;

  async function begin(): Promise<void> {
    fleet = await Fleet.start();
    pair = fleet.hub as HubPair;
  }

  /** The owner's client at one of the hubs. */
  async function at(hub: HubProcess): Promise<HubClient> {
    const client = await HubClient.logIn(hub.url, fleet.ownerKey, fleet.authority);
    onTestFinished(() => client.close());
    return client;
  }

  /** Machines that connect through the balancer, to the hubs in turn. */
  async function join(count: number): Promise<Joined[]> {
    const machines: Joined[] = [];
    const first = await fleet.owner.call('getRobot', { id: await fleet.robotId() });
    for (let number = 0; number < count; number++) {
      const { id } = await fleet.owner.call('newRobot', {
        name: `bench-${number}`,
        location: first.robot?.location ?? '',
      });
      const { parts } = await fleet.owner.call('getRobotParts', { robotId: id });
      const partId = parts[0]?.id ?? '';
      const config = await fleet.configOf(partId);
      const machine: Joined = { server: await startServer({ config }), partId, config };
      onTestFinished(async () => void (await machine.server.stop()));
      machines.push(machine);
    }
    await until('all are there', async () => (await online(fleet.owner)) === count, 30_000, 100);
    return machines;
  }

  async function online(client: HubClient): Promise<number> {
    const { parts } = await client.grpc.call(
      PresenceServiceDefinition,
      'list',
      { scope: undefined, brief: true },
      signed(client),
    );
    return parts.filter(({ state }) => state === Presence_State.ONLINE).length;
  }

  const signed = ({ token }: HubClient) => ({ headers: { authorization: `Bearer ${token}` } });

  const configAt = (client: HubClient, partId: string) =>
    client.grpc.call(ConfigServiceDefinition, 'get', { partId }, signed(client));

  async function applyAt(client: HubClient, partId: string, text: string): Promise<string> {
    const { revision } = await configAt(client, partId);
    const request = { partId, text, baseRevision: revision, author: '', note: '' };
    const { outcome } = await client.grpc.call(ConfigServiceDefinition, 'apply', request, signed(client));
    if (outcome?.$case !== 'applied') throw new Error(`not taken: ${JSON.stringify(outcome)}`);
    return (await configAt(client, partId)).revision;
  }

  const isInForce = (client: HubClient, partId: string, text: string) => async (): Promise<boolean> => {
    const { text: stored, revision, appliedRevision } = await configAt(client, partId);
    return stored === text && revision === appliedRevision;
  };

  it('answer the same for a machine, whichever of them it is connected to', async () => {
    await begin();
    const clients = await Promise.all(pair.hubs.map(at));
    const machines = await join(2);
    for (const { partId } of machines) {
      for (const [index, client] of clients.entries()) {
        const text = motor(60 + index);
        const told: WatchResponse[] = [];
        const others = clients[1 - index] ?? client;
        const watch = others.grpc.stream(ConfigServiceDefinition, 'watch', { partId }, signed(others));
        watch.on('data', (response: WatchResponse) => told.push(response)).on('error', () => undefined);
        await until('it is watched', () => told.length > 0, 10_000);
        const before = told.length;
        await applyAt(client, partId, text);
        await until('it is in force', isInForce(others, partId, text), REACHES_MS);
        await until('it was told of', () => told.length > before, REACHES_MS);
        watch.cancel();
      }
    }
    expect(await Promise.all(clients.map(online))).toEqual([2, 2]);
  }, 120_000);

  it('tail the log of a machine, and drive it until the caller is gone, through either', async () => {
    await begin();
    const clients = await Promise.all(pair.hubs.map(at));
    const [machine] = await join(1);
    if (machine === undefined) throw new Error('no machine');
    await applyAt(fleet.owner, machine.partId, motor(60));
    const local = new MachineClient(machine.server);
    onTestFinished(() => local.close());
    await until('it has its motor', async () => (await local.resourceNames()).includes('motor/left'), REACHES_MS);
    await fleet.untilReached(machine.partId);
    for (const client of clients) {
      const { partId } = machine;
      let entries = 0;
      const tail = client.grpc.stream(
        LogServiceDefinition,
        'tail',
        { partId, filter: undefined, backlog: 0 },
        signed(client),
      );
      tail.on('data', () => entries++).on('error', () => undefined);
      const { url } = pair.hubs[clients.indexOf(client)] ?? pair.hubs[0];
      const page = await PageChannel.open(url, { token: client.token, part: partId, authority: fleet.authority });
      await page.call(MotorServiceDefinition, 'setPower', { name: 'left', powerPct: 0.5 });
      expect(await local.isMoving('left')).toBe(true);
      page.close();
      await until('it has stopped', async () => !(await local.isMoving('left')), 5_000);
      await applyAt(client, partId, motor(61 + clients.indexOf(client)));
      await until('the log was told of', () => entries > 0, REACHES_MS);
      tail.cancel();
    }
  }, 120_000);

  it('lose nothing that was acknowledged when one of them is killed under load', async () => {
    await begin();
    const machines = await join(4);
    const [survivor, victim] = pair.hubs;
    const acknowledged: { readonly names: string[]; readonly revisions: Map<string, string[]> } = {
      names: [],
      revisions: new Map(machines.map(({ partId }) => [partId, []])),
    };
    let isOver = false;
    let failures = 0;
    /** Makes one call after another through the balancer, and logs in again after each lost connection. */
    async function work(what: (client: HubClient, count: number) => Promise<void>): Promise<void> {
      let client: HubClient | undefined;
      for (let count = 0; !isOver; count++) {
        try {
          client ??= await HubClient.logIn(pair.url, fleet.ownerKey, fleet.authority);
          await what(client, count);
        } catch {
          failures++;
          client?.close();
          client = undefined;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      client?.close();
    }
    const load = [0, 1, 2].map((worker) =>
      work(async (client, count) => {
        const name = `place ${worker} ${count}`;
        const organizationId = fleet.organizationId;
        await client.call('createLocation', { organizationId, name, parentLocationId: undefined });
        acknowledged.names.push(name);
      }),
    );
    for (const { partId } of machines) {
      load.push(
        work(async (client, count) => {
          const revision = await applyAt(client, partId, motor(100 + count));
          acknowledged.revisions.get(partId)?.push(revision);
        }),
      );
    }
    await until('there is work', () => acknowledged.names.length > 30, 30_000);
    const before = acknowledged.names.length;
    await victim.crash();
    await until('it goes on', () => acknowledged.names.length > before + 30, REACHES_MS);
    const client = await at(survivor);
    await until('all machines are at the other', async () => (await online(client)) === machines.length, 30_000, 200);
    await until(
      'each takes changes again',
      () => [...acknowledged.revisions.values()].every((revisions) => revisions.length > 1),
      60_000,
    );
    isOver = true;
    await Promise.all(load);
    expect(failures).toBeGreaterThan(0);
    const { locations } = await client.call('listLocations', { organizationId: fleet.organizationId });
    const kept = new Set(locations.map(({ name }) => name));
    expect(acknowledged.names.filter((name) => !kept.has(name))).toEqual([]);
    for (const { partId } of machines) {
      const { versions } = await client.grpc.call(
        ConfigServiceDefinition,
        'history',
        { partId, limit: 500, pageToken: '', text: '', tagged: false, resource: '' },
        signed(client),
      );
      const stored = new Set(versions.map(({ revision }) => revision));
      expect(acknowledged.revisions.get(partId)?.filter((revision) => !stored.has(revision))).toEqual([]);
      const { text } = await configAt(client, partId);
      await until('the newest is in force', isInForce(client, partId, text), REACHES_MS);
    }
  }, 240_000);

  it('have a change reach every machine while notices between them are cut', async () => {
    await begin();
    const machines = await join(2);
    const database = new pg.Client({ connectionString: pair.database });
    await database.connect();
    let isCut = true;
    let ended = 0;
    const cutting = (async () => {
      while (isCut) {
        const { rowCount } = await database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'armature notices' AND datname = current_database()`,
        );
        ended += rowCount ?? 0;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    try {
      await until('both are cut off', () => ended >= 2, 10_000);
      const clients = await Promise.all(pair.hubs.map(at));
      for (const { partId } of machines) {
        for (const [index, client] of clients.entries()) {
          const text = motor(200 + index);
          await applyAt(client, partId, text);
          await until('it is in force', isInForce(clients[1 - index] ?? client, partId, text), REACHES_MS);
        }
      }
    } finally {
      isCut = false;
      await cutting;
      await database.end();
    }
  }, 180_000);

  it('fire each trigger once, and go on when the one that leads is killed', async () => {
    await begin();
    const receiver = await Receiver.listen();
    onTestFinished(() => receiver.close());
    const triggers = [
      {
        name: 'back',
        event: { type: 'part_online' },
        notifications: [
          { type: 'webhook', value: `http://127.0.0.1:${receiver.port}/online`, seconds_between_notifications: 1 },
        ],
      },
    ];
    await fleet.call(TriggerServiceDefinition, 'setAllowedNetworks', { networks: ['127.0.0.0/8'] });
    const [machine] = await join(1);
    if (machine === undefined) throw new Error('no machine');
    await applyAt(fleet.owner, machine.partId, motor(60, { triggers }));
    let client = await at(pair);
    const comeBack = async (times: number): Promise<void> => {
      await machine.server.stop();
      // A machine that reconnects before its absence is stored does not count as having been offline.
      await until(
        'it is away',
        async () => (await query('SELECT 1 FROM part_presence WHERE is_online = 0')).length > 0,
        60_000,
      );
      machine.server = await startServer({ config: machine.config });
      await receiver.until(times);
    };
    await comeBack(1);
    const leader = await leadingHub();
    const other = pair.hubs.find((hub) => hub !== leader);
    if (leader === undefined || other === undefined) throw new Error('nobody leads');
    await leader.crash();
    client = await at(other);
    await until('the other leads', async () => (await leadingHub()) === other, 30_000, 200);
    await comeBack(2);
    // A duplicate delivery would come at once.
    await client.grpc.call(TriggerServiceDefinition, 'listTriggers', { partId: machine.partId }, signed(client));
    expect(receiver.requests.map(({ path: at }) => at)).toEqual(['/online', '/online']);
  }, 240_000);

  /** The hub that holds the lease. */
  async function leadingHub(): Promise<HubProcess | undefined> {
    const [row] = await query(
      'SELECT address FROM cluster_leases JOIN cluster_hubs ON cluster_hubs.id = cluster_leases.hub_id',
    );
    return pair.hubs.find(({ url }) => url === row?.['address']);
  }

  async function query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const database = new pg.Client({ connectionString: pair.database });
    await database.connect();
    try {
      return (await database.query<Record<string, unknown>>(text)).rows;
    } finally {
      await database.end();
    }
  }

  it('refuse what would part them', async () => {
    await begin();
    const { database, hubs } = pair;
    const files = testCluster?.files ?? '';
    const run = (args: readonly string[]) => runArmature(['hub', '--bind', 'localhost:0', ...args]);
    const elsewhere = path.join(path.dirname(hubs[0].data), 'another');
    const alone = await run(['--data', elsewhere, '--database', database, '--files', files]);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--cluster') as string });
    const cluster = ['--cluster', 'https://localhost:9'];
    const local = await run(['--data', elsewhere, '--database', database, ...cluster]);
    expect(local.stderr).toContain('--cluster needs --database and --files');
    const sameFolder = await run(['--data', hubs[0].data, '--database', database, '--files', files, ...cluster]);
    expect(sameFolder.stderr).toContain(`A hub is running on ${hubs[0].data}`);
    const clear = await run([
      '--data',
      elsewhere,
      '--database',
      database,
      '--files',
      files,
      '--no-tls',
      '--cluster',
      'http://10.0.0.1:9',
    ]);
    expect(clear.stderr).toContain('reached over https');
    // None of this has disturbed the running hubs.
    expect(await Promise.all((await Promise.all(hubs.map(at))).map(online))).toEqual([0, 0]);
    const third = await startOneHub({
      data: elsewhere,
      args: ['--database', database, '--files', files, ...cluster, '--tls-san', 'hub.example'],
    });
    const { hostname: host, port } = new URL(third.url);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    expect(socket.getPeerCertificate().subjectaltname).toContain('DNS:hub.example');
    socket.destroy();
    expect(await third.stop()).toBe(0);
  }, 120_000);
});
