import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BoardServiceDefinition } from '../../proto/gen/core/component/board/v1/board.ts';
import { CameraServiceDefinition } from '../../proto/gen/core/component/camera/v1/camera.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { key, keyId, withApiKey } from '../harness/api-key.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { ReflectedClient } from '../harness/reflected-client.ts';
import { benchConfig, startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

/** A server whose gripper has an API that no other server knows. */
const acmeStation = path.join(import.meta.dirname, '../fixtures/acme/station.ts');

const fakeMotor = (name: string, more: object = {}): object => ({
  name,
  api: 'core:component:motor',
  model: 'fake',
  attributes: { max_rpm: 100 },
  ...more,
});
const document = (more: object): string => JSON.stringify({ network: { bind_address: 'localhost:0' }, ...more });

async function start(
  options: ServerOptions,
): Promise<{ readonly server: ServerProcess; readonly client: MachineClient }> {
  const server = await startServer(options);
  const client = new MachineClient(server);
  onTestFinished(async () => {
    client.close();
    await server.stop();
  });
  return { server, client };
}

const statusOf = async ({ grpc }: MachineClient, name: string): Promise<string> => {
  const { resources } = await grpc.call(RobotServiceDefinition, 'getMachineStatus', {});
  return resources.find((one) => one.name?.name === name)?.error ?? 'absent';
};

/** A hub with a second machine, which runs with a motor, and a key for its operators. */
async function fleetOfTwo() {
  const fleet = await Fleet.start();
  const { locations } = await fleet.owner.call('listLocations', { organizationId: fleet.organizationId });
  const { id } = await fleet.owner.call('newRobot', { name: 'second', location: locations[0]?.id ?? '' });
  const { parts } = await fleet.owner.call('getRobotParts', { robotId: id });
  const second = parts[0]?.id ?? '';
  await fleet.setConfig(second, JSON.stringify({ components: [fakeMotor('right')] }));
  const there = await start({ config: await fleet.configOf(second) });
  const operator = await fleet.createKey('organization_operator');
  const auth = { entity: operator.id, credentials: { type: 'api-key', payload: operator.secret } };
  return { fleet, second, there, auth };
}

/** The configuration file of the hub's first machine, which uses others. */
async function firstOf(fleet: Fleet, remotes: readonly object[]): Promise<string> {
  const first = await fleet.partId();
  await fleet.setConfig(first, JSON.stringify({ remotes }));
  return fleet.configOf(first);
}

const ways = [
  ['over WebRTC', []],
  ['directly', ['-webrtc=false']],
] as const;

describe.each(ways)('a machine that uses the resources of another one %s', (way, args) => {
  /** The machine that uses the other. */
  const startHere = (config: string): ReturnType<typeof start> => start({ config, args });

  it('drives its motor by the name there, or by one with a prefix, and stops it when it is ended', async () => {
    const there = await start({ config: document({ components: [fakeMotor('left'), fakeMotor('right')] }) });
    const remotes = [{ name: 'second', address: there.server.url, prefix: 'far-' }];
    const here = await startHere(document({ components: [fakeMotor('left')], remotes }));
    await until(
      'its motors are here',
      async () => (await here.client.resourceNames()).includes('motor/far-right'),
      15_000,
    );
    expect(await here.client.resourceNames()).toEqual(
      expect.arrayContaining(['motor/far-left', 'motor/far-right', 'motor/left']),
    );
    const saysHow =
      way === 'directly'
        ? /connected to the remote second .*, directly/
        : /connected to the remote second .*, over WebRTC/;
    // What it logs comes by another way than its answers.
    await until('it says how it is connected', () => saysHow.test(here.server.stderr()), 5_000);
    await here.client.setPower('far-right', 0.4);
    expect(await there.client.power('right')).toBe(0.4);
    expect(await here.client.power('far-right')).toBe(0.4);
    expect(await there.client.power('left')).toBe(0);
    // The client that drove it through this machine is gone: nobody has to report that to the other machine.
    const driver = new MachineClient(here.server);
    await driver.setPower('far-left', 0.2);
    driver.close();
    await until('its motor stands', async () => (await there.client.power('left')) === 0, 10_000);
    expect(await there.client.power('right')).toBe(0.4);
    // It hangs: its connection stays open, and sends nothing.
    here.server.process.kill('SIGSTOP');
    await until('the motor stands', async () => (await there.client.power('right')) === 0, 10_000);
    here.server.process.kill('SIGCONT');
    const drives = (): Promise<boolean> =>
      here.client.setPower('far-right', 0.5).then(
        () => true,
        ({ code }: { code: number }) => {
          expect(code).toBe(StatusCode.UNAVAILABLE);
          return false;
        },
      );
    await until('it drives again', drives, 10_000);
    expect(await there.client.power('right')).toBe(0.5);
    await here.server.crash();
    await until('the motor stands again', async () => (await there.client.power('right')) === 0, 10_000);
  }, 60_000);

  it('shows its pictures, counts its ticks and reads its sensors, byte for byte and as they come', async () => {
    const bench = JSON.parse(await readFile(benchConfig, 'utf8')) as { components: object[] };
    const camera = {
      name: 'belt',
      api: 'core:component:camera',
      model: 'fake',
      attributes: { width: 320, height: 240 },
    };
    const there = await start({ config: document({ components: [...bench.components, camera] }) });
    const remotes = [{ name: 'second', address: there.server.url }];
    const here = await startHere(document({ remotes }));
    await until('all is here', async () => (await here.client.resourceNames()).includes('camera/belt'), 15_000);
    const { grpc } = here.client;
    const { images } = await grpc.call(CameraServiceDefinition, 'getImages', {
      name: 'belt',
      filterSourceNames: [],
      extra: undefined,
    });
    expect(Buffer.from(images[0]?.image ?? []).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
    const { readings } = await grpc.call(SensorServiceDefinition, 'getReadings', { name: 'climate', extra: undefined });
    expect(Object.keys(readings).sort()).toEqual(['humidity', 'temperature']);
    const stream = grpc.stream(BoardServiceDefinition, 'streamTicks', {
      name: 'bench',
      pinNames: ['button'],
      extra: undefined,
    });
    const times: bigint[] = [];
    for await (const tick of stream as AsyncIterable<{ readonly pinName: string; readonly time: bigint }>) {
      if (tick.pinName !== '') times.push(tick.time);
      if (times.length === 3) break;
    }
    expect(times.map(Number)).toEqual(times.map(Number).toSorted((a, b) => a - b));
  }, 60_000);

  it('passes on calls of an API that only the other one knows, and stops what was moved by it', async () => {
    const hand = { name: 'hand', api: 'acme:component:gripper', model: 'acme:bench:soft' };
    const there = await start({ config: document({ components: [hand] }), program: [acmeStation] });
    const remotes = [{ name: 'second', address: there.server.url, prefix: 'far-' }];
    const here = await startHere(document({ remotes }));
    await until('it is here', async () => (await here.client.resourceNames()).includes('gripper/far-hand'), 15_000);
    const name = 'far-hand';
    const service = 'acme.component.gripper.v1.GripperService';
    const described = async (): Promise<boolean> =>
      ReflectedClient.of(here.server.url, service).then(
        (found) => {
          found.close();
          return true;
        },
        () => false,
      );
    await until('it is described', described, 15_000);
    const client = await ReflectedClient.of(here.server.url, service);
    onTestFinished(() => client.close());
    const { answer } = await client.unary('Grab', { name, mode: 2, tags: ['a', 'b'] });
    expect(answer['received']).toMatchObject({ name: 'hand', mode: 2, tags: ['a', 'b'] });
    await expect(client.unary('Grab', { name, how: { case: 'forceN', value: 500 } })).rejects.toMatchObject({
      code: StatusCode.OUT_OF_RANGE,
    });
    const numbers: number[] = [];
    for await (const reading of client.serverStream('WatchForce', { name, intervalMs: 20, count: 3 })) {
      numbers.push(Number((reading as { number: bigint }).number));
    }
    expect(numbers).toEqual([1, 2, 3]);

    const driver = await ReflectedClient.of(here.server.url, service);
    await driver.unary('Grab', { name });
    const isMoving = async (): Promise<unknown> => (await client.unary('IsMoving', { name })).answer['isMoving'];
    expect(await isMoving()).toBe(true);
    driver.close();
    await until('it is stopped', async () => (await isMoving()) === false, 10_000);
  }, 60_000);

  it('starts without one that is not there, and its own motor turns', async () => {
    const remotes = [{ name: 'second', address: 'http://localhost:1' }];
    const here = await startHere(document({ components: [fakeMotor('left')], remotes }));
    await here.client.setPower('left', 0.3);
    expect(await here.client.power('left')).toBe(0.3);
    expect(here.server.stderr()).toMatch(
      /The remote second at http:\/\/localhost:1 is not reached, and is tried again/,
    );
  }, 30_000);

  it('waits for one that is away, says why, and goes on when it is back; nothing of its own waits', async () => {
    const home = await temporaryFolder();
    const first = await startServer({ config: document({ components: [fakeMotor('right')] }), home });
    const { port } = first;
    const remotes = [{ name: 'second', address: first.url, reconnect_interval: '200ms' }];
    const dependent = fakeMotor('own', { depends_on: ['right'] });
    const here = await startHere(document({ components: [fakeMotor('left'), dependent], remotes }));
    await until('it is here', async () => (await here.client.resourceNames()).includes('motor/own'), 15_000);
    await first.crash();
    await until(
      'it is away',
      async () => /waiting for the remote second/.test(await statusOf(here.client, 'right')),
      // Over WebRTC a program that ends sends no notification.
      30_000,
    );
    await here.client.setPower('left', 0.2);
    await expect(here.client.setPower('right', 0.2)).rejects.toMatchObject({
      details: expect.stringContaining('waiting for the remote second, which is not connected') as string,
    });
    const again = await startServer({
      config: JSON.stringify({ components: [fakeMotor('right')], network: { bind_address: `localhost:${port}` } }),
    });
    onTestFinished(async () => void (await again.stop()));
    await until('it is back', async () => (await here.client.resourceNames()).includes('motor/own'), 15_000);
    await here.client.setPower('right', 0.3);
    expect(await here.client.power('right')).toBe(0.3);
  }, 90_000);

  it('trusts a machine of its hub by its certificate, and shows it a key of that hub', async () => {
    const { fleet, there, auth } = await fleetOfTwo();
    const remotes = [{ name: 'second', address: `https://localhost:${there.server.port}`, auth }];
    const here = await startHere(await firstOf(fleet, remotes));
    await until('it is here', async () => (await here.client.resourceNames()).includes('motor/right'), 20_000);
    await here.client.setPower('right', 0.4);
    expect(await here.client.power('right')).toBe(0.4);
  }, 60_000);

  it('keeps its own where both have a name, and has both by REMOTE:NAME; keys are shown to none but whom they are for', async () => {
    const auth = withApiKey(document({ components: [fakeMotor('left')] }));
    const there = await start({ config: auth });
    const remotes = [
      {
        name: 'second',
        address: there.server.url,
        auth: { entity: keyId, credentials: { type: 'api-key', payload: key } },
      },
    ];
    const here = await startHere(document({ components: [fakeMotor('left')], remotes }));
    await until('it is told', () => here.server.stderr().includes('which is what that name means'), 15_000);
    await until('it is ready', async () => (await statusOf(here.client, 'second:left')) === '', 10_000);
    await here.client.setPower('left', 0.1);
    await here.client.grpc.call(MotorServiceDefinition, 'setPower', { name: 'second:left', powerPct: 0.6 });
    expect(await here.client.power('left')).toBe(0.1);
    expect(await here.client.power('second:left')).toBe(0.6);
    expect(here.server.stderr()).not.toContain(key);
  }, 60_000);
});

describe('machines of one hub', () => {
  it('find each other by their names there, and a key that is revoked opens nothing more', async () => {
    const { fleet, second, there, auth } = await fleetOfTwo();
    const remotes = [{ name: 'second', address: await fleet.hostOf(second), auth }];
    const here = await start({ config: await firstOf(fleet, remotes) });
    await until('it is here', async () => (await here.client.resourceNames()).includes('motor/right'), 20_000);
    expect(here.server.stderr()).toMatch(/connected to the remote second .*, over WebRTC, signaled by the hub/);
    await here.client.setPower('right', 0.4);
    expect(await there.client.power('right')).toBe(0.4);
    await fleet.owner.call('deleteKey', { id: auth.entity });
    await until(
      'it is refused',
      () =>
        here.client.setPower('right', 0.4).then(
          () => false,
          () => true,
        ),
      20_000,
    );
  }, 90_000);
});
