import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ConfigServiceDefinition, Result_Outcome, type WatchResponse } from '../../proto/gen/core/config/v1/config.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest, temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

/** A motor that may be interrupted only while the door is closed, which it is not. */
const textWith = (maxRpm: number): string =>
  JSON.stringify({
    components: [
      { name: 'left', api: 'core:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } },
      { name: 'door', api: 'core:component:sensor', model: 'fake', attributes: { readings: { closed: false } } },
    ],
    maintenance: { sensor_name: 'rdk:component:sensor/door', maintenance_allowed_key: 'closed' },
    network: { bind_address: 'localhost:0' },
  });
/** The motor is rebuilt, and stops for that. */
const rebuilt = textWith(60).replace(
  '"attributes":{"max_rpm":60}',
  '"attributes":{"max_rpm":60},"depends_on":["door"]',
);

class Door {
  readonly client: MachineClient;
  /** The latest message of ConfigService/Watch. */
  state: WatchResponse | undefined;
  readonly #watching: ClientReadableStream<WatchResponse>;

  constructor(server: ServerProcess) {
    this.client = new MachineClient(server);
    this.#watching = this.client.grpc.stream(ConfigServiceDefinition, 'watch', { partId: '' });
    this.#watching.on('data', (next: WatchResponse) => (this.state = next));
    this.#watching.on('error', () => undefined);
  }

  async set(closed: boolean): Promise<void> {
    const command = { set: { closed } };
    await this.client.grpc.call(SensorServiceDefinition, 'doCommand', { name: 'door', command });
  }

  reach(what: string, holds: (state: WatchResponse) => boolean): Promise<void> {
    return until(what, () => this.state !== undefined && holds(this.state), 15_000);
  }

  waits(text: string): Promise<void> {
    return this.reach('the text that waits', (state) => {
      return state.text === text && state.result?.outcome === Result_Outcome.DEFERRED;
    });
  }

  runs(text: string): Promise<void> {
    return this.reach('the text in force', ({ text: stored, revision, appliedRevision, result }) => {
      return stored === text && revision === appliedRevision && result?.outcome === Result_Outcome.APPLIED;
    });
  }

  close(): void {
    this.#watching.cancel();
    this.client.close();
  }
}

let server: ServerProcess;
let door: Door;
const restartStatus = async (): Promise<Record<string, unknown>> => {
  const response = await fetch(`${server.url}/restart_status`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
  return (await response.json()) as Record<string, unknown>;
};

afterEach(async () => {
  door.close();
  await server.stop();
});

describe('the maintenance window of a machine', () => {
  let home = '';

  const start = async (): Promise<void> => {
    server = await startServer({ config: textWith(60), home });
    door = new Door(server);
  };

  beforeEach(async () => {
    home = await temporaryFolder();
    await start();
    await door.runs(textWith(60));
  });

  it('a motor goes on turning while a change of it waits, and the change is in force when the door closes', async () => {
    await door.client.setPower('left', 0.5);
    await server.writeConfig(rebuilt);
    await door.waits(rebuilt);
    expect(door.state?.result?.deferred).toMatchObject({
      reason: 'sensor door: closed is false',
      sensorName: 'core:component:sensor/door',
      allowedKey: 'closed',
      runningText: textWith(60),
      plan: { changes: [{ subject: 'core:component:motor/left', stopsMotion: true }] },
    });
    expect(await door.client.power('left')).toBe(0.5);
    await door.set(true);
    await door.runs(rebuilt);
    expect(await door.client.power('left')).toBe(0);
  });

  it('an owner applies it now, which the log says', async () => {
    await server.writeConfig(rebuilt);
    await door.waits(rebuilt);
    const { revision = '' } = door.state ?? {};
    const applyNow = (): Promise<unknown> =>
      door.client.grpc.call(ConfigServiceDefinition, 'applyNow', { partId: '', revision, author: 'ada' });
    await applyNow();
    await door.runs(rebuilt);
    expect(server.stderr()).toContain(
      `configuration ${revision} is carried out now, as launch-token decided, although it waited: sensor door: closed is false`,
    );
    await expect(applyNow()).rejects.toMatchObject({ code: StatusCode.FAILED_PRECONDITION });
  });

  it('killed while something waits, it starts with what ran, and goes on waiting', async () => {
    await server.writeConfig(rebuilt);
    await door.waits(rebuilt);
    const since = door.state?.result?.deferred?.since;
    door.close();
    await server.crash();
    await start();
    await door.waits(rebuilt);
    expect(door.state?.result?.deferred).toMatchObject({ since, runningText: textWith(60) });
    expect(server.stderr()).toMatch(/waits for its maintenance window since .*: the machine starts with/);
    expect(await readFile(server.configPath, 'utf8')).toBe(rebuilt);
    await door.set(true);
    await door.runs(rebuilt);
  });

  it('GET /restart_status says whether this program may be ended, by the same gate', async () => {
    expect(await restartStatus()).toEqual({
      restart_allowed: false,
      does_not_handle_needs_restart: true,
      module_server_tcp_addr: '',
      waiting_for: 'sensor door: closed is false',
    });
    await door.set(true);
    expect(await restartStatus()).toEqual({
      restart_allowed: true,
      does_not_handle_needs_restart: true,
      module_server_tcp_addr: '',
    });
    expect((await fetch(`${server.url}/restart_status`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the maintenance window of a machine with a hub', () => {
  let fleet: Fleet;
  let partId = '';

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    server = await startServer({ config: await fleet.configOf(partId) });
    door = new Door(server);
    await apply(textWith(60), '');
    await door.runs(textWith(60));
  });

  const apply = (text: string, baseRevision: string): Promise<unknown> =>
    fleet.call(ConfigServiceDefinition, 'apply', {
      partId,
      text,
      baseRevision,
      author: '',
      note: '',
      returnAfter: undefined,
    });
  const newestResult = async () => {
    const request = {
      partId,
      limit: 1,
      pageToken: '',
      text: '',
      resource: '',
      start: undefined,
      end: undefined,
      tagged: false,
    };
    return (await fleet.call(ConfigServiceDefinition, 'history', request)).versions[0]?.result;
  };

  it('the history says that a text waits, and later that it is in force', async () => {
    await apply(rebuilt, door.state?.revision ?? '');
    await door.waits(rebuilt);
    await until('the history says so', async () => (await newestResult())?.outcome === Result_Outcome.DEFERRED, 5_000);
    expect((await newestResult())?.message).toMatch(/^Waiting for sensor door: closed is false, since /);
    await door.set(true);
    await door.runs(rebuilt);
    await until('and that it is over', async () => (await newestResult())?.outcome === Result_Outcome.APPLIED, 5_000);
  });

  it('a text that is pushed waits too, over a restart, and an owner of the fleet applies it now', async () => {
    const request = { id: partId, name: '', robotConfig: undefined, robotConfigJson: rebuilt };
    await fleet.owner.call('updateRobotPart', request);
    await door.waits(rebuilt);
    const { revision = '' } = door.state ?? {};
    door.close();
    const { home } = server;
    removeAfterTest(home);
    await server.crash();
    server = await startServer({ config: await readFile(path.join(home, 'machine.json'), 'utf8'), home });
    door = new Door(server);
    await door.waits(rebuilt);
    expect(await door.client.resourceNames()).toEqual(['motor/left', 'sensor/door']);
    await fleet.call(ConfigServiceDefinition, 'applyNow', { partId, revision, author: '' });
    await door.runs(rebuilt);
    expect(server.stderr()).toMatch(/is carried out now, as .+ decided, although it waited/);
  });

  it('an operator of the fleet sees what waits, and may not apply it now', async () => {
    await apply(rebuilt, door.state?.revision ?? '');
    await door.waits(rebuilt);
    const { revision = '' } = door.state ?? {};
    const operator = await fleet.logIn(await fleet.createKey('organization_operator'));
    const headers = { authorization: `Bearer ${operator.token}` };
    await expect(
      operator.grpc.call(ConfigServiceDefinition, 'applyNow', { partId, revision, author: '' }, { headers }),
    ).rejects.toMatchObject({ code: StatusCode.PERMISSION_DENIED });
    const { text } = await operator.grpc.call(ConfigServiceDefinition, 'get', { partId }, { headers });
    expect(text).toBe(rebuilt);
    await door.waits(rebuilt);
  });

  it('a restart that the hub is asked for waits until it is allowed', async () => {
    await fleet.owner.call('markPartForRestart', { partId });
    const said = 'the restart that the hub asked for waits for sensor door: closed is false';
    await until('it waits', () => server.stderr().includes(said), 10_000);
    expect(await door.client.power('left')).toBe(0);
    await door.set(true);
    await until('it ends', () => server.process.exitCode !== null, 20_000);
    expect(server.process.exitCode).toBe(0);
  });
});
