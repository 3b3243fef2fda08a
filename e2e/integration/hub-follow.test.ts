import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition, Result_Outcome, Source } from '../../proto/gen/core/config/v1/config.ts';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { TestHub } from '../../src-main/machine/cloud/testing/test-hub.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const motor = (maxRpm: number): string =>
  JSON.stringify({
    components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } }],
  });

/** The file of a machine that joined the hub. */
const joined = (hub: TestHub): string => JSON.stringify({ cloud: hub.cloud, network: { bind_address: 'localhost:0' } });

describe('a machine that follows its hub', () => {
  let hub: TestHub;
  let server: ServerProcess | undefined;
  let client: MachineClient;

  const start = async (options: { readonly home?: string } = {}): Promise<ServerProcess> => {
    server = await startServer({ config: joined(hub), ...options });
    client = new MachineClient(server);
    return server;
  };
  const get = () => client.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
  const isApplied = (text: string) => async (): Promise<boolean> => {
    const { appliedRevision, revision, text: stored } = await get();
    return stored === text && appliedRevision === revision;
  };

  beforeEach(async () => {
    hub = new TestHub();
    await hub.listen();
  });

  afterEach(async () => {
    client?.close();
    await server?.stop();
    server = undefined;
    await hub.close();
  });

  it('starts with what the hub has, and follows what is stored there', async () => {
    hub.store(motor(60));
    await start();
    expect(await get()).toMatchObject({ text: motor(60), source: Source.HUB, path: `hub ${hub.url}` });
    await until('the first text is in force', isApplied(motor(60)), 5_000);
    expect(await client.resourceNames()).toEqual(['motor/left']);
    hub.store(motor(70));
    await until('the pushed text is in force', isApplied(motor(70)), 5_000);
    await hub.until(() => hub.results.some(({ result }) => result?.revision === hub.current?.revision));
    expect(hub.results.at(-1)).toMatchObject({
      summary: expect.stringContaining('max_rpm 60 to 70') as string,
      subjects: ['core:component:motor/left'],
      result: { outcome: Result_Outcome.APPLIED },
    });
  });

  it('waits with nothing for the first configuration', async () => {
    await start();
    expect(await get()).toMatchObject({ text: '', revision: '', source: Source.NONE });
    expect(await client.grpc.call(RobotServiceDefinition, 'getCloudMetadata', {})).toMatchObject({
      primaryOrgId: 'org-1',
      machinePartId: 'part-1',
    });
    const { outcome } = await client.grpc.call(ConfigServiceDefinition, 'apply', {
      partId: '',
      text: motor(60),
      baseRevision: '',
      author: 'Ada',
      note: 'first',
    });
    expect(outcome?.$case).toBe('applied');
    expect(hub.current?.text).toBe(motor(60));
    expect(hub.stores.at(-1)).toMatchObject({
      author: 'launch-token',
      note: 'first',
      subjects: ['core:component:motor/left'],
    });
    await until('it is in force', isApplied(motor(60)), 5_000);
  });

  it('starts without the hub from the copy it kept, whose secrets lie apart', async () => {
    const home = await temporaryFolder();
    const text = JSON.stringify({
      ...(JSON.parse(motor(60)) as object),
      auth: { handlers: [{ type: 'api-key', config: { 'id-1': 'top-secret', keys: ['id-1'] } }] },
    });
    hub.store(text);
    await start({ home });
    await hub.until(() => hub.results.length > 0);
    client.close();
    await server?.stop();
    const folder = path.join(home, 'home', 'cloud', 'part-1');
    expect(await readFile(path.join(folder, 'config.json'), 'utf8')).not.toContain('top-secret');
    await hub.close();
    await start({ home });
    expect(server?.stderr()).toContain('is not reached');
    // Its own configuration requires a key now.
    const stranger = new MachineClient(server?.url ?? '');
    await expect(stranger.resourceNames()).rejects.toMatchObject({ code: 16 });
  });
});
