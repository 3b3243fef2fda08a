import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppServiceDefinition } from '../../proto/gen/core/app/v1/app.ts';
import { ConfigServiceDefinition, Result_Outcome, Source } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { GrpcClient } from '../harness/grpc-client.ts';
import { HubClient } from '../harness/hub-process.ts';
import { runArmature, startServer, type ServerOptions, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const motor = (maxRpm: number, name = 'left'): string =>
  `${JSON.stringify(
    {
      network: { bind_address: 'localhost:0' },
      components: [{ name, api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } }],
    },
    null,
    2,
  )}\n`;

let home: string;
let server: ServerProcess;
let client: GrpcClient;

async function start(options: Partial<ServerOptions> = {}): Promise<void> {
  server = await startServer({ config: motor(100), home, ...options });
  client = new GrpcClient(server);
}

beforeEach(async () => {
  home = await temporaryFolder();
});

afterEach(async () => {
  client.close();
  await server.stop();
});

const get = () => client.call(ConfigServiceDefinition, 'get', { partId: '' });
const history = (partId = '', by = client) =>
  by.call(ConfigServiceDefinition, 'history', {
    partId,
    limit: 0,
    pageToken: '',
    text: '',
    resource: '',
    tagged: false,
  });
const apply = async (text: string, author = 'kim', note = '') =>
  client.call(ConfigServiceDefinition, 'apply', {
    partId: '',
    text,
    baseRevision: (await get()).revision,
    author,
    note,
  });
const ids = () => client.call(RobotServiceDefinition, 'getCloudMetadata', {});
const presence = async (partId: string) => {
  const scope = { partId, machineId: '', locationId: '', organizationId: '' };
  return (await client.call(PresenceServiceDefinition, 'list', { scope, brief: true })).parts[0];
};

async function hasVersions(count: number): Promise<void> {
  const isComplete = async (): Promise<boolean> => {
    const { versions } = await history();
    return versions.length === count && versions.every(({ result }) => result !== undefined);
  };
  await until(`${count} versions with their results`, isComplete, 10_000);
}

async function restart(): Promise<void> {
  client.close();
  await server.stop();
  await start();
}

describe('a machine without a cloud block', () => {
  it('has a hub from its first start: organization, location, machine and part, without a question', async () => {
    await start();
    await until('the machine is there', async () => (await presence(''))?.state === Presence_State.ONLINE, 10_000);
    const { organizations } = await client.call(AppServiceDefinition, 'listOrganizations', {});
    expect(organizations).toHaveLength(1);
    const { primaryOrgId, machineId, machinePartId } = await ids();
    expect(primaryOrgId).toBe(organizations[0]?.id);
    const { robots } = await client.call(AppServiceDefinition, 'listRobotsForOrg', { orgId: primaryOrgId });
    expect(robots).toMatchObject([{ id: machineId }]);
    expect(hostname().startsWith(robots[0]?.name ?? '-')).toBe(true);
    expect(await presence(machinePartId)).toMatchObject({ partId: machinePartId, ownsConfig: true });
    expect(server.stderr()).not.toMatch(/WARN|ERROR/);
  });

  it('lists what was applied and what was edited by hand: who, what, and how it went', async () => {
    await start();
    await hasVersions(1);
    expect((await apply(motor(120), 'kim', 'faster')).outcome?.$case).toBe('applied');
    await hasVersions(2);
    await server.writeConfig(motor(130));
    await hasVersions(3);
    const { versions } = await history();
    expect(versions).toMatchObject([
      { number: 3n, author: 'file', summary: 'left: max_rpm 120 to 130', result: { outcome: Result_Outcome.APPLIED } },
      { number: 2n, author: 'launch-token', summary: 'left: max_rpm 100 to 120', note: 'faster' },
      { number: 1n, author: 'file', summary: 'left: added' },
    ]);
    expect((await get()).source).toBe(Source.FILE);
    // The same by the part's own id, as a fleet page asks.
    expect((await history((await ids()).machinePartId)).total).toBe(3n);
  });

  it('brings a version back into the file: whole, with its mode, and once', async () => {
    await start();
    await chmod(server.configPath, 0o640);
    await apply(motor(120));
    await apply(motor(130));
    await hasVersions(3);
    const { revision } = await get();
    const { result } = await client.call(ConfigServiceDefinition, 'restore', {
      partId: '',
      number: 1n,
      baseRevision: revision,
      author: 'kim',
      note: 'back',
    });
    expect(result?.outcome?.$case).toBe('applied');
    expect(await readFile(server.configPath, 'utf8')).toBe(motor(100));
    expect((await stat(server.configPath)).mode & 0o777).toBe(0o640);
    await hasVersions(4);
    expect((await history()).versions[0]).toMatchObject({ restoredFrom: 1n, author: 'launch-token', note: 'back' });
    // The watcher sees the restored text: an edit after it is the next version, without another in between.
    await server.writeConfig(motor(140));
    await hasVersions(5);
    expect((await history()).versions[0]).toMatchObject({ number: 5n, summary: 'left: max_rpm 100 to 140' });
  });

  it.each(['a stop', 'SIGKILL'])('keeps all of it over %s, and notes how long nobody was there', async (how) => {
    await start();
    await apply(motor(120));
    await hasVersions(2);
    const { machinePartId } = await ids();
    client.close();
    if (how === 'SIGKILL') await server.crash();
    else await server.stop();
    const endedAt = Date.now();
    await start();
    await hasVersions(2);
    expect((await ids()).machinePartId).toBe(machinePartId);
    const { gapBegan, gapEnded } = (await presence(machinePartId)) ?? {};
    expect(gapBegan?.getTime()).toBeLessThanOrEqual(endedAt);
    expect(gapEnded?.getTime()).toBeGreaterThanOrEqual(endedAt);
  });

  it('is a machine of its own for each configuration file', async () => {
    await start();
    await hasVersions(1);
    const first = await ids();
    client.close();
    await server.stop();
    const other = path.join(home, 'second bench.json');
    await writeFile(other, motor(50, 'right'));
    await start({ args: ['-config', other] });
    await hasVersions(1);
    const second = await ids();
    expect(second.primaryOrgId).toBe(first.primaryOrgId);
    expect(second.machineId).not.toBe(first.machineId);
    expect((await history()).versions).toMatchObject([{ summary: 'right: added' }]);
    const { robots } = await client.call(AppServiceDefinition, 'listRobotsForOrg', { orgId: first.primaryOrgId });
    expect(robots.map(({ name }) => name)[1]).toMatch(/-second-bench$/);
    expect((await history(first.machinePartId)).versions).toMatchObject([{ summary: 'left: added' }]);
  });

  it('with -hub=false has none, and says so', async () => {
    await start({ args: ['-hub=false'] });
    await expect(history()).rejects.toMatchObject({ code: StatusCode.UNIMPLEMENTED });
    await expect(ids()).rejects.toMatchObject({ code: StatusCode.FAILED_PRECONDITION });
    await expect(stat(path.join(home, 'home', 'hub'))).rejects.toThrow();
  });

  it('runs without History where the data of its hub is damaged, and says so once', async () => {
    const folder = path.join(home, 'home', 'hub');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'hub.sqlite'), 'no database at all'.repeat(100));
    await start();
    await expect(history()).rejects.toMatchObject({
      code: StatusCode.UNAVAILABLE,
      details: expect.stringContaining('holds no readable hub database') as string,
    });
    expect((await apply(motor(120))).outcome?.$case).toBe('applied');
    expect(await readFile(server.configPath, 'utf8')).toBe(motor(120));
    expect(server.stderr().match(/ERROR/g)).toHaveLength(1);
  });

  it('runs without History when its data is deleted, and begins anew only by a restart', async () => {
    await start();
    await hasVersions(1);
    const folder = path.join(home, 'home', 'hub');
    await rm(folder, { recursive: true });
    expect((await apply(motor(200))).outcome?.$case).toBe('applied');
    expect(await readFile(server.configPath, 'utf8')).toBe(motor(200));
    await until('it is noticed', () => server.stderr().includes('has lost its data'), 10_000);
    await expect(history()).rejects.toMatchObject({ code: StatusCode.UNAVAILABLE });
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    client.close();
    await server.stop();
    await start();
    await hasVersions(1);
  });

  it('runs without History while another program has the hub of its home', async () => {
    await start();
    await hasVersions(1);
    const second = await startServer({
      config: motor(60, 'right'),
      environment: { SVC_HOME: path.join(home, 'home') },
    });
    const other = new GrpcClient(second);
    try {
      await expect(history('', other)).rejects.toMatchObject({
        code: StatusCode.UNAVAILABLE,
        details: expect.stringContaining('Only one at a time may') as string,
      });
      expect((await other.call(RobotServiceDefinition, 'resourceNames', {})).resources).toHaveLength(1);
    } finally {
      other.close();
      await second.stop();
    }
    expect((await history()).total).toBe(1n);
  });

  it(
    'takes the hub over from another server of the same file, and tells it nothing twice',
    { timeout: 60_000 },
    async () => {
      await start();
      await hasVersions(1);
      const first = server;
      const byFirst = client;
      // The test continues with this server after the first one has stopped.
      server = await startServer({ config: motor(100), home });
      client = new GrpcClient(server);
      const runs = async (rpm: number): Promise<boolean> => {
        const { text, appliedRevision, revision } = await get();
        return text === motor(rpm) && appliedRevision === revision;
      };
      for (const [count, rpm] of [110, 120, 130].entries()) {
        await first.writeConfig(motor(rpm));
        await until('both run it', () => runs(rpm), 10_000);
        await until(
          'it is in the history',
          async () => (await history('', byFirst)).total === BigInt(count + 2),
          10_000,
        );
      }
      byFirst.close();
      await first.stop();
      await server.writeConfig(motor(140));
      const has140 = async (): Promise<boolean> => {
        const { versions } = await history().catch(() => ({ versions: [] }));
        return versions[0]?.summary === 'left: max_rpm 130 to 140';
      };
      await until('the second server has the hub', has140, 30_000);
      expect((await history()).versions.map(({ summary }) => summary)).toEqual([
        'left: max_rpm 130 to 140',
        'left: max_rpm 120 to 130',
        'left: max_rpm 110 to 120',
        'left: max_rpm 100 to 110',
        expect.any(String),
      ]);
    },
  );
});

describe('keys of the hub in a machine', () => {
  const command = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runArmature(['hub', ...args], { SVC_HOME: path.join(home, 'home') });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const createKey = async (...args: string[]) => {
    const [, id = '', secret = ''] = /key id (\S+)\nkey (\S+)/.exec(await command('key', 'create', ...args)) ?? [];
    return { id, secret };
  };
  const logIn = async (...args: string[]): Promise<HubClient> => HubClient.logIn(server.url, await createKey(...args));

  it('may do what their roles say: an operator drives and reads, and does not configure', async () => {
    await start();
    await hasVersions(1);
    const operator = await logIn('--role', 'organization_operator');
    const headers = { authorization: `Bearer ${operator.token}` };
    const { primaryOrgId } = await ids();
    const { robots } = await operator.call('listRobotsForOrg', { orgId: primaryOrgId });
    expect(robots).toHaveLength(1);
    const names = await client.call(RobotServiceDefinition, 'resourceNames', {}, { headers });
    expect(names.resources).toHaveLength(1);
    const request = { partId: '', text: motor(90), baseRevision: (await get()).revision, author: '', note: '' };
    await expect(client.call(ConfigServiceDefinition, 'apply', request, { headers })).rejects.toMatchObject({
      code: StatusCode.PERMISSION_DENIED,
    });
    operator.close();
    const holder = await logIn('--name', 'sam');
    const asOwner = { headers: { authorization: `Bearer ${holder.token}` } };
    const applied = await client.call(ConfigServiceDefinition, 'apply', request, asOwner);
    expect(applied.outcome?.$case).toBe('applied');
    await hasVersions(2);
    expect((await history()).versions[0]).toMatchObject({ author: 'sam' });
    // A revoked key stops working here as well, at once.
    await command('key', 'revoke', holder.keyId);
    await until(
      'the key is refused',
      () =>
        client.call(RobotServiceDefinition, 'resourceNames', {}, asOwner).then(
          () => false,
          ({ code }: { code: number }) => code === StatusCode.UNAUTHENTICATED,
        ),
      5_000,
    );
    holder.close();
  });

  it('of another machine are none of this one', async () => {
    await start();
    await hasVersions(1);
    const { locationId } = await ids();
    const { id: robotId } = await client.call(AppServiceDefinition, 'newRobot', {
      name: 'other',
      location: locationId,
    });
    const key = await logIn('--role', 'robot_owner', '--for', robotId);
    const headers = { authorization: `Bearer ${key.token}` };
    await expect(client.call(RobotServiceDefinition, 'resourceNames', {}, { headers })).rejects.toMatchObject({
      code: StatusCode.NOT_FOUND,
    });
    await expect(client.call(ConfigServiceDefinition, 'get', { partId: '' }, { headers })).rejects.toMatchObject({
      code: StatusCode.NOT_FOUND,
    });
    key.close();
  });

  it('tokens outlive a restart', async () => {
    await start();
    await hasVersions(1);
    const holder = await logIn();
    const { token } = holder;
    holder.close();
    await restart();
    const headers = { authorization: `Bearer ${token}` };
    await expect(client.call(RobotServiceDefinition, 'resourceNames', {}, { headers })).resolves.toBeDefined();
  });

  it('commands of armature hub work on it while it runs: backup, restore, ca', async () => {
    await start();
    await hasVersions(1);
    expect(await command('ca')).toContain('BEGIN CERTIFICATE');
    expect(await command('key', 'list')).toContain('organization_owner');
    const backup = path.join(home, 'backup.sqlite');
    await command('backup', backup);
    await apply(motor(120));
    await hasVersions(2);
    const refused = await runArmature(['hub', 'restore', backup], { SVC_HOME: path.join(home, 'home') });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('stop it first') as string });
    client.close();
    await server.stop();
    await command('restore', backup);
    await start();
    // The content of the file is then in the history again.
    await hasVersions(2);
    expect((await history()).versions[0]).toMatchObject({ author: 'file' });
    await rm(backup);
  });
});
