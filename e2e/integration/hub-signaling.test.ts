import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { SignalingServiceDefinition } from '../../proto/gen/proto/rpc/webrtc/v1/signaling.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { writeDescription } from '../../src-main/rpc/webrtc/session-description.ts';
import { SIGNALED_KEY } from '../../src-main/rpc/webrtc/signaled-key.ts';
import { roleAt, type HubClient, type OwnerKey } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { PageChannel } from '../harness/page-channel.ts';
import { benchConfig, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { WebRtcCaller } from '../harness/webrtc-caller.ts';

const bench = await readFile(benchConfig, 'utf8');
const motor = 'turntable';

/** A hub that connects callers to a machine of its fleet; their calls then go directly to the machine. */
describe('a machine that is called over WebRTC through its hub', () => {
  let fleet: Fleet;
  let partId: string;
  let host: string;
  let server: ServerProcess;
  let onlooker: MachineClient;

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    host = await fleet.hostOf(partId);
    await fleet.setConfig(partId, bench);
    await startMachine(await fleet.configOf(partId));
  }, 60_000);

  async function startMachine(config: string): Promise<void> {
    server = await startServer({ config });
    onTestFinished(async () => void (await server.stop()));
    onlooker = new MachineClient(server);
    const looking = onlooker;
    onTestFinished(() => looking.close());
    await until('it has its motor', async () => (await looking.resourceNames()).includes(`motor/${motor}`), 20_000);
    await fleet.untilReached(partId);
  }

  const headersOf = ({ token }: HubClient, name = host): Record<string, string> => ({
    authorization: `Bearer ${token}`,
    'rpc-host': name,
  });
  const dial = async (key: OwnerKey): Promise<WebRtcCaller> => {
    const client = await fleet.logIn(key);
    const caller = await WebRtcCaller.dial(client.grpc, headersOf(client));
    onTestFinished(() => caller.close());
    return caller;
  };
  const setPower = (caller: WebRtcCaller, powerPct: number): Promise<unknown> =>
    caller.call(MotorServiceDefinition, 'setPower', { name: motor, powerPct });

  it('is driven, its motor stops when the caller has gone, and a key that is revoked may do nothing more', async () => {
    const key = await fleet.createKey('organization_operator');
    const caller = await dial(key);
    const { resources } = await caller.call(RobotServiceDefinition, 'resourceNames', {});
    expect(resources.map(({ name }) => name)).toContain(motor);
    await setPower(caller, 0.4);
    expect(await onlooker.power(motor)).toBe(0.4);
    caller.close();
    await until('the motor stands', async () => (await onlooker.power(motor)) === 0, 30_000);

    const again = await dial(key);
    await setPower(again, 0.2);
    await fleet.owner.call('deleteKey', { id: key.id });
    await until(
      'the machine knows of it',
      () =>
        setPower(again, 0.2).then(
          () => false,
          ({ code }: { code: string }) => code === 'access.unauthenticated',
        ),
      10_000,
    );
  }, 90_000);

  it('lets each key do what it may at the machine itself', async () => {
    const apply = { partId: '', text: bench, baseRevision: 'none', author: '', note: '' };
    const operator = await dial(await fleet.createKey('organization_operator'));
    await setPower(operator, 0.1);
    await expect(operator.call(ConfigServiceDefinition, 'apply', apply)).rejects.toMatchObject({
      code: 'access.denied',
      message: expect.stringContaining('"config.write"') as string,
    });
    const owner = await dial(fleet.ownerKey);
    const { outcome } = await owner.call(ConfigServiceDefinition, 'apply', apply);
    expect(outcome?.$case).toBe('conflict');
  }, 60_000);

  it('is asked for by those who may operate it, by its name, and with their own key', async () => {
    const offered = async (client: HubClient, name = host): Promise<unknown> =>
      WebRtcCaller.dial(client.grpc, headersOf(client, name)).then(
        () => 'dialled',
        ({ code, details }: { code: number; details: string }) => `${code} ${details}`,
      );
    const { owner } = fleet;
    const unknown = `${StatusCode.INVALID_ARGUMENT} host not preconfigured`;
    expect(await offered(owner, 'other.local')).toContain(unknown);
    expect(await offered(owner, `other.${host}`)).toContain(unknown);
    const { organization } = await owner.call('createOrganization', { name: 'Second' });
    const foreign = await owner.call('createKey', {
      name: 'foreign',
      authorizations: [roleAt('organization_owner', organization?.id ?? '')],
    });
    expect(await offered(await fleet.logIn({ id: foreign.id, secret: foreign.key }))).toContain(unknown);

    // On the channel of a page a client could name the machine that a hub signals for: that header is not forwarded.
    const operator = await fleet.logIn(await fleet.createKey('organization_operator'));
    const channel = await PageChannel.open(fleet.hub.url, {
      token: operator.token,
      part: partId,
      authority: fleet.authority,
    });
    onTestFinished(() => channel.close());
    const sdp = writeDescription({ type: 'offer', sdp: 'v=0\r\n' });
    const forged = channel.stream(
      SignalingServiceDefinition,
      'call',
      { sdp, disableTrickle: false },
      { [SIGNALED_KEY]: fleet.ownerKey.id },
    );
    await expect(forged.next()).rejects.toMatchObject({
      code: 'access.denied',
      message: expect.stringContaining('Signal at the port of the hub') as string,
    });
  }, 60_000);

  it('that is away is said to be away, and is called again when it is back', async () => {
    await dial(fleet.ownerKey);
    await server.crash();
    await until(
      'the hub knows it',
      () =>
        dial(fleet.ownerKey).then(
          () => false,
          ({ code, details }: { code: number; details: string }) =>
            code === StatusCode.UNAVAILABLE && /is offline: it was last seen at/.test(details),
        ),
      30_000,
    );
    await startMachine(await fleet.configOf(partId));
    await setPower(await dial(fleet.ownerKey), 0.3);
    expect(await onlooker.power(motor)).toBe(0.3);
  }, 120_000);
});
