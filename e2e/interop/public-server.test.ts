import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { needPublicServer, startPublicServer } from '../harness/public-server.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

const fakeMotor = (name: string, namespace: 'core' | 'rdk'): object => ({
  name,
  api: `${namespace}:component:motor`,
  model: namespace === 'rdk' ? 'rdk:builtin:fake' : 'fake',
  attributes: { max_rpm: 100 },
});

async function startOurs(config: string): Promise<{ readonly server: ServerProcess; readonly client: MachineClient }> {
  const server = await startServer({ config });
  const client = new MachineClient(server);
  onTestFinished(async () => {
    client.close();
    await server.stop();
  });
  return { server, client };
}

const document = (more: object): string => JSON.stringify({ network: { bind_address: 'localhost:0' }, ...more });

/** Motors of the public server, which knows only the spelling of its own ecosystem. */
class PublicMotors {
  readonly #grpc: GrpcClient;

  constructor(address: string) {
    this.#grpc = new GrpcClient(address);
    onTestFinished(() => this.#grpc.close());
  }

  async setPower(motor: string, powerPct: number): Promise<void> {
    await this.#grpc.call(publicMotorService, 'setPower', { name: motor, powerPct });
  }

  async power(motor: string): Promise<number> {
    return (await this.#grpc.call(publicMotorService, 'isPowered', { name: motor })).powerPct;
  }
}

const publicMotorService = { ...MotorServiceDefinition, fullName: 'viam.component.motor.v1.MotorService' } as const;

/** Drives a motor through a client, once the motor exists. */
async function drives(client: Pick<MachineClient, 'power' | 'setPower'>, motor: string): Promise<void> {
  await until(
    `${motor} is there`,
    () =>
      client.power(motor).then(
        () => true,
        () => false,
      ),
    30_000,
    200,
  );
  await client.setPower(motor, 0.5);
  expect(await client.power(motor)).toBe(0.5);
}

describe('the public server', { timeout: 120_000 }, () => {
  beforeEach(needPublicServer);

  it('is used as a remote of ours, over WebRTC; what was moved stops when our machine is killed', async () => {
    const there = await startPublicServer({ components: [fakeMotor('left', 'rdk')] });
    const remotes = [{ name: 'public', address: `http://${there.address}`, prefix: 'far-' }];
    const here = await startServer({ config: document({ remotes }) });
    const [client, direct] = [new MachineClient(here), new PublicMotors(there.address)];
    onTestFinished(async () => {
      client.close();
      await here.kill('SIGKILL');
    });
    await drives(client, 'far-left');
    expect(here.stderr()).toContain('over WebRTC, signaled directly');
    expect(await direct.power('left')).toBe(0.5);
    await here.crash();
    await until('the motor stands', async () => (await direct.power('left')) === 0, 15_000, 100);
  });

  it('uses our machine as its remote, over WebRTC', async () => {
    const there = await startOurs(document({ components: [fakeMotor('left', 'core')] }));
    const address = there.server.url.replace('http://', '');
    const remotes = [{ name: 'ours', address, insecure: true, prefix: 'far-' }];
    const here = await startPublicServer({ remotes });
    await drives(new PublicMotors(here.address), 'far-left');
    expect(here.log()).toContain('A WebRTC connection was made');
    expect(await there.client.power('left')).toBe(0.5);
  });

  it('has its configuration from our hub, and answers callers whom the hub brings to it', async () => {
    const fleet = await Fleet.start();
    const { locations } = await fleet.owner.call('listLocations', { organizationId: fleet.organizationId });
    const { id } = await fleet.owner.call('newRobot', { name: 'public', location: locations[0]?.id ?? '' });
    const { parts } = await fleet.owner.call('getRobotParts', { robotId: id });
    const part = parts[0]?.id ?? '';
    await fleet.setConfig(part, JSON.stringify({ components: [fakeMotor('left', 'rdk')] }));
    const { id: keyId, secret: key } = fleet.ownerKey;
    const cloud = { id: part, api_key: { id: keyId, key }, app_address: fleet.hub.url };
    await startPublicServer({ cloud }, { SSL_CERT_FILE: fleet.authorityFile });

    const auth = { entity: keyId, credentials: { type: 'api-key', payload: key } };
    const remotes = [{ name: 'public', address: await fleet.hostOf(part), prefix: 'far-', auth }];
    const own = await fleet.partId();
    await fleet.setConfig(own, JSON.stringify({ remotes }));
    const here = await startOurs(await fleet.configOf(own));
    await drives(here.client, 'far-left');
    expect(here.server.stderr()).toContain('over WebRTC, signaled by the hub');
    await here.client.grpc.call(MotorServiceDefinition, 'stop', { name: 'far-left' });
    expect(await here.client.power('far-left')).toBe(0);
  });
});
