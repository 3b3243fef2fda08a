import { request as httpsRequest } from 'node:https';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { RegistryServiceDefinition } from '../../proto/gen/core/hub/v1/registry.ts';
import { LogServiceDefinition } from '../../proto/gen/core/log/v1/log.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusServiceDefinition } from '../../proto/gen/core/status/v1/status.ts';
import { AuthenticateRequest, AuthenticateResponse } from '../../proto/gen/proto/rpc/v1/auth.ts';
import { testCluster } from '../harness/hub-pair.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { PageChannel, type PageChannelOptions } from '../harness/page-channel.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { removeAfterTest } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const bench = (maxRpm: number): string =>
  JSON.stringify({
    components: ['left', 'right'].map((name) => ({
      name,
      api: 'rdk:component:motor',
      model: 'fake',
      attributes: { max_rpm: maxRpm },
    })),
  });

const AUTHENTICATE = '/proto.rpc.v1.AuthService/Authenticate';
const channels: PageChannel[] = [];
let server: ServerProcess;
/** Connected to the machine itself: shows what its motors really do. */
let machine: MachineClient;

async function open(url: string, options: PageChannelOptions): Promise<PageChannel> {
  const channel = await PageChannel.open(url, options);
  channels.push(channel);
  return channel;
}

const drive = (channel: PageChannel, name: string, metadata = {}) =>
  channel.call(MotorServiceDefinition, 'setPower', { name, powerPct: 0.5 }, metadata);
const isStill = (name: string) => async (): Promise<boolean> => !(await machine.isMoving(name));

afterEach(async () => {
  for (const channel of channels.splice(0)) channel.close();
  machine.close();
  await server.stop();
});

describe('the channel of a part, at a hub', () => {
  let fleet: Fleet;
  let partId: string;
  let page: PageChannel;

  const openPart = (token = fleet.owner.token) =>
    open(fleet.hub.url, { token, part: partId, authority: fleet.authority });

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    const json = { id: partId, name: '', robotConfig: undefined, robotConfigJson: bench(100) };
    await fleet.owner.call('updateRobotPart', json);
    server = await startServer({ config: await fleet.configOf(partId) });
    machine = new MachineClient(server.url);
    await fleet.untilReached(partId);
    page = await openPart();
    await until(
      'the motors are there',
      async () => (await page.call(RobotServiceDefinition, 'resourceNames', {})).resources.length === 2,
      10_000,
    );
  });

  it('looks like that of the machine: configuration, status, logs, presence, motors', async () => {
    const { text, revision } = await page.call(ConfigServiceDefinition, 'get', { partId: '' });
    expect(text).toBe(bench(100));
    const change = { partId: '', text: bench(120), baseRevision: revision, author: '', note: '' };
    expect((await page.call(ConfigServiceDefinition, 'apply', change)).outcome?.$case).toBe('applied');
    const all = { partId: '', limit: 0, pageToken: '', text: '', resource: '', tagged: false };
    expect((await page.call(ConfigServiceDefinition, 'history', all)).total).toBe(2n);
    const { parts } = await page.call(PresenceServiceDefinition, 'list', { scope: undefined, brief: true });
    expect(parts).toMatchObject([{ partId, state: Presence_State.ONLINE }]);
    const states = page.stream(StatusServiceDefinition, 'watch', {});
    expect((await states.next()).value).toMatchObject({ event: { $case: 'snapshot' } });
    await states.return(undefined);
    const log = { partId: '', filter: undefined, limit: 10, pageToken: '', newestFirst: true };
    await until(
      'the log is there',
      async () => (await page.call(LogServiceDefinition, 'query', log)).entries.length > 0,
      10_000,
    );
    expect((await page.call(RobotServiceDefinition, 'getCloudMetadata', {})).machinePartId).toBe(partId);
    expect((await page.call(AppServiceDefinition, 'listOrganizations', {})).organizations).toHaveLength(1);
    const everything = { text: '', namespaces: [], api: '', limit: 0, pageToken: '' };
    expect(await page.call(RegistryServiceDefinition, 'search', everything)).toMatchObject({ modules: [], total: 0 });
    await drive(page, 'left');
    expect(await machine.power('left')).toBe(0.5);
    await expect(drive(page, 'middle')).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('stops what it moved when it closes, and nothing that another page moves', async () => {
    const other = await openPart();
    await drive(page, 'left');
    await drive(other, 'right');
    page.close();
    await until('the motor stands', isStill('left'), 5_000);
    expect(await machine.power('right')).toBe(0.5);
    other.close();
    await until('the other stands', isStill('right'), 5_000);
  });

  it('stops what its session moved when the page is gone', async () => {
    const { id } = await page.call(RobotServiceDefinition, 'startSession', { resume: '' });
    await drive(page, 'left', { 'viam-sid': id });
    expect(await machine.isMoving('left')).toBe(true);
    page.close();
    await until('the motor stands', isStill('left'), 10_000);
  });

  it('the machine stops what was moved through a hub that is killed', async () => {
    await drive(page, 'left');
    expect(await machine.isMoving('left')).toBe(true);
    await fleet.hub.crash();
    await until('the motor stands', isStill('left'), 5_000);
  });

  it('says when a machine that is away was last seen, shows what is known, and goes on when it is back', async () => {
    const { home } = server;
    removeAfterTest(home);
    await server.crash();
    await until(
      'calls end with why',
      () =>
        drive(page, 'left').then(
          () => false,
          (error: Error & { code: string }) =>
            error.code === 'part.unreachable' && /is offline: it was last seen at 20\d\d-/.test(error.message),
        ),
      10_000,
    );
    expect((await page.call(ConfigServiceDefinition, 'get', { partId: '' })).text).toBe(bench(100));
    machine.close();
    server = await startServer({ config: '', home });
    machine = new MachineClient(server.url);
    await fleet.untilReached(partId);
    // A channel is closed if the machine has reconnected to a different hub.
    await drive(testCluster === undefined ? page : await openPart(), 'left');
    expect(await machine.power('left')).toBe(0.5);
  });

  it('is there for whoever may see the part, and moves it for whoever may operate it', async () => {
    const { place } = fleet.hub;
    const keyOf = async (...args: string[]) => {
      const { stdout } = await runArmature(['hub', 'key', 'create', ...place, ...args]);
      const [, id = '', secret = ''] = /key id (\S+)\nkey (\S+)/.exec(stdout) ?? [];
      const { token } = await fleet.logIn({ id, secret });
      return { id, token };
    };
    const { id: otherOrganization } = await createOrganization(fleet);
    const stranger = await keyOf('--role', 'organization_owner', '--for', otherOrganization);
    await expect(openPart(stranger.token)).rejects.toThrow(`404 There is no part "${partId}" here`);
    await expect(openPart('nonsense')).rejects.toThrow('401 ');
    const operator = await keyOf('--role', 'organization_operator', '--for', fleet.organizationId);
    const channel = await openPart(operator.token);
    await drive(channel, 'left');
    expect(await machine.isMoving('left')).toBe(true);
    const { revision } = await channel.call(ConfigServiceDefinition, 'get', { partId: '' });
    const change = { partId: '', text: bench(1), baseRevision: revision, author: '', note: '' };
    await expect(channel.call(ConfigServiceDefinition, 'apply', change)).rejects.toMatchObject({
      code: 'access.denied',
    });
    // A revoked key stops working at once.
    await runArmature(['hub', 'key', 'revoke', operator.id, ...place]);
    await until(
      'it is refused',
      () =>
        drive(channel, 'left').then(
          () => false,
          () => true,
        ),
      5_000,
    );
  });

  it('a hub serves its page, says what it is, and signs people in with a key', async () => {
    const about = await get(`${fleet.hub.url}/about.json`, fleet.authority);
    expect(JSON.parse(about.text)).toEqual({ kind: 'hub', version: '0.1.0', signIn: ['api-key'] });
    expect((await get(`${fleet.hub.url}/`, fleet.authority)).text).toContain('<!doctype html>');
    expect((await get(`${fleet.hub.url}/channel`, fleet.authority)).status).toBe(401);
    const headers = { authorization: `Bearer ${fleet.owner.token}` };
    expect((await get(`${fleet.hub.url}/channel?part=${partId}`, fleet.authority, headers)).status).toBe(426);
    const { id, secret } = fleet.ownerKey;
    const credentials = { type: 'api-key', payload: secret };
    const message = AuthenticateRequest.encode({ entity: id, credentials }).finish();
    const frame = Buffer.concat([Buffer.alloc(5), message]);
    frame.writeUInt32BE(message.length, 1);
    const post = { 'content-type': 'application/grpc-web+proto', origin: fleet.hub.url };
    const answer = await get(`${fleet.hub.url}${AUTHENTICATE}`, fleet.authority, post, frame);
    const { accessToken } = AuthenticateResponse.decode(answer.bytes.subarray(5, 5 + answer.bytes.readUInt32BE(1)));
    const whole = await open(fleet.hub.url, { token: accessToken, authority: fleet.authority });
    expect((await whole.call(AppServiceDefinition, 'listOrganizations', {})).organizations).toHaveLength(1);
  });
});

async function createOrganization(fleet: Fleet): Promise<{ id: string }> {
  const { organization } = await fleet.owner.call('createOrganization', { name: 'Elsewhere' });
  return { id: organization?.id ?? '' };
}

function get(
  url: string,
  ca: string,
  headers: Readonly<Record<string, string>> = {},
  body?: Buffer,
): Promise<{ status: number; text: string; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = httpsRequest(url, { ca, headers, method, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, text: bytes.toString(), bytes });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the channel of a part, at a machine with a hub', () => {
  it('leads to another machine that has joined it, and to itself', async () => {
    const own = await startServer({ config: bench(100).replace('{', '{"network":{"bind_address":"localhost:0"},') });
    try {
      const fleet = await open(own.url, { token: own.token });
      const { locationId, machinePartId } = await fleet.call(RobotServiceDefinition, 'getCloudMetadata', {});
      const { id } = await fleet.call(AppServiceDefinition, 'newRobot', { name: 'arm', location: locationId });
      const { parts } = await fleet.call(AppServiceDefinition, 'getRobotParts', { robotId: id });
      const part = parts[0]?.id ?? '';
      const { part: made } = await fleet.call(AppServiceDefinition, 'createRobotPartSecret', { partId: part });
      // As from another computer: over TLS, with a verifiable certificate.
      const ca = (await runArmature(['hub', 'ca'], { SVC_HOME: path.join(own.home, 'home') })).stdout;
      const address = own.url.replace('http:', 'https:');
      const cloud = { id: part, secret: made?.secrets[0]?.secret ?? '', app_address: address, ca };
      server = await startServer({ config: JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } }) });
      machine = new MachineClient(server.url);
      const request = { partId: part, text: bench(50), baseRevision: '', author: '', note: '' };
      expect((await fleet.call(ConfigServiceDefinition, 'apply', request)).outcome?.$case).toBe('applied');
      const page = await open(own.url, { token: own.token, part });
      await until(
        'its motor turns',
        () =>
          drive(page, 'left').then(
            () => true,
            () => false,
          ),
        10_000,
      );
      expect(await machine.power('left')).toBe(0.5);
      expect((await page.call(ConfigServiceDefinition, 'get', { partId: '' })).text).toBe(bench(50));
      const itself = await open(own.url, { token: own.token, part: machinePartId });
      expect((await itself.call(ConfigServiceDefinition, 'get', { partId: '' })).text).toContain('"max_rpm":100');
      // The hub is killed together with the machine in its process: the other machine stops the motors that were driven
      // through it.
      await own.kill('SIGKILL');
      await until('the motor stands', isStill('left'), 5_000);
    } finally {
      await own.kill('SIGKILL');
    }
  });
});
