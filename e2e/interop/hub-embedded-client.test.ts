import path from 'node:path';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubClient, hubFolder, startHub, type HubProcess, type OwnerKey } from '../harness/hub-process.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { useGrpcTransport } from './sdk-transport.ts';

/** A text with formatting that no program would produce. */
const oddText = `{\n\t"components": [ ],   "network": {"bind_address":"localhost:0"}\n}\n\n`;
const UNAUTHENTICATED = 16;

interface Way {
  readonly name: string;
  /** Starts a hub and a machine that belongs to it. */
  start(): Promise<Running>;
}

interface Running {
  readonly url: string;
  readonly key: OwnerKey;
  readonly machine: ServerProcess;
  stop(): Promise<void>;
}

const embedded: Way = {
  name: 'the hub in a machine',
  async start() {
    const machine = await startServer({ config: oddText });
    const environment = { SVC_HOME: path.join(machine.home, 'home') };
    let made: OwnerKey | undefined;
    const make = async (): Promise<boolean> => {
      const { stdout } = await runArmature(['hub', 'key', 'create'], environment);
      const [, id, secret] = /key id (\S+)\nkey (\S+)/.exec(stdout) ?? [];
      if (id === undefined || secret === undefined) return false;
      made = { id, secret };
      return true;
    };
    await until('the hub is there and makes a key', make, 10_000);
    const key = made ?? { id: '', secret: '' };
    useGrpcTransport();
    return { url: machine.url, key, machine, stop: async () => void (await machine.stop()) };
  },
};

const alone: Way = {
  name: 'a hub by itself and a machine that joined it',
  async start() {
    const folder = await hubFolder();
    const hub: HubProcess = await startHub({ data: folder.data, args: ['--no-tls'] });
    const key = hub.ownerKey ?? { id: '', secret: '' };
    useGrpcTransport();
    const app = await clientFor(hub.url, key);
    const [location] = await app.listLocations(hub.organizationId ?? '');
    const [robot] = await app.listRobots(location?.id ?? '');
    const [part] = await app.getRobotParts(robot?.id ?? '');
    const { id, secret } = key;
    const cloud = { id: part?.id, api_key: { id, key: secret }, app_address: hub.url };
    const config = JSON.stringify({ cloud, network: { bind_address: 'localhost:0' } });
    // This SDK sends a configuration only as a message, which cannot contain text that is not JSON.
    const owner = await HubClient.logIn(hub.url, key);
    const text = { id: part?.id ?? '', name: '', robotConfig: undefined, robotConfigJson: oddText };
    await owner.call('updateRobotPart', text);
    owner.close();
    const machine = await startServer({ config });
    const stop = async (): Promise<void> => {
      await machine.stop();
      await hub.stop();
      await folder.remove();
    };
    return { url: hub.url, key, machine, stop };
  },
};

async function clientFor(serviceHost: string, { id, secret }: OwnerKey): Promise<sdk.AppClient> {
  const credentials = { type: 'api-key', authEntity: id, payload: secret } as const;
  return (await sdk.createViamClient({ serviceHost, credentials })).appClient;
}

/** The app client of the public TypeScript SDK, with a running machine. */
describe.each([embedded, alone])('the public SDK and $name', ({ start }) => {
  let running: Running;
  let app: sdk.AppClient;
  let part: sdk.appApi.RobotPart | undefined;

  beforeAll(async () => {
    running = await start();
    app = await clientFor(running.url, running.key);
    const [organization] = await app.listOrganizations();
    const [location] = await app.listLocations(organization?.id ?? '');
    const [robot] = await app.listRobots(location?.id ?? '');
    [part] = await app.getRobotParts(robot?.id ?? '');
  });

  afterAll(() => running.stop());

  const configJson = async (): Promise<string> => (await app.getRobotPart(part?.id ?? '')).configJson;

  it('finds the machine, with its configuration as it was written', async () => {
    expect(part?.mainPart).toBe(true);
    await until('the text is there', async () => (await configJson()) === oddText, 10_000);
  });

  it('finds it in the history', async () => {
    const history = await app.getRobotPartHistory(part?.id ?? '');
    expect(history.length).toBeGreaterThanOrEqual(1);
    expect(history[0]?.part).toBe(part?.id);
    expect(history[0]?.when?.toDate().getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  it('reads the log, and follows it', async () => {
    const messages = async (): Promise<string[]> => {
      const { logs } = await app.getRobotPartLogs(part?.id ?? '');
      return logs.map(({ message }) => message);
    };
    const hasServed = async (): Promise<boolean> =>
      (await messages()).some((message) => message.startsWith('serving on'));
    await until('the log is there', hasServed, 10_000);
    const tail: Awaited<ReturnType<typeof app.getRobotPartLogs>>['logs'] = [];
    // Ends with the hub: the SDK has no other way to end it.
    app.tailRobotPartLogs(part?.id ?? '', tail, undefined, false).catch(() => undefined);
    const robot = new sdk.RobotClient();
    await robot.dial({ host: running.machine.url, noReconnect: true, disableSessions: true });
    const isTold = async (): Promise<boolean> => {
      // A log line of the machine.
      await robot.robotService.log({ logs: [{ level: 'info', loggerName: 'test', message: 'tail me' }] });
      return tail.some(({ message }) => message === 'tail me');
    };
    await until('the line is told of', isTold, 10_000);
    await robot.disconnect();
  });

  it('makes, rotates and deletes keys; each holds from then on', async () => {
    const [organization] = await app.listOrganizations();
    const id = organization?.id ?? '';
    const authorization = new sdk.appApi.Authorization({
      authorizationType: 'role',
      authorizationId: 'organization_operator',
      resourceType: 'organization',
      resourceId: id,
      organizationId: id,
      identityType: 'api-key',
    });
    const made = await app.createKey([authorization], 'reader');
    const reader = await clientFor(running.url, { id: made.id, secret: made.key });
    expect(await reader.listOrganizations()).toHaveLength(1);
    const rotated = await app.rotateKey(made.id);
    await expect(reader.listOrganizations()).rejects.toMatchObject({ code: UNAUTHENTICATED });
    const again = await clientFor(running.url, { id: rotated.id, secret: rotated.key });
    expect(await again.listOrganizations()).toHaveLength(1);
    await app.deleteKey(made.id);
    await expect(again.listOrganizations()).rejects.toMatchObject({ code: UNAUTHENTICATED });
  });
});
