import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Presence_State, PresenceServiceDefinition } from '../../proto/gen/core/hub/v1/presence.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const motor = (maxRpm: number): string =>
  JSON.stringify({
    components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake', attributes: { max_rpm: maxRpm } }],
    modules: [{ name: 'm', type: 'local', executable_path: '/nowhere', env: { TOKEN: 'top-secret' }, disabled: true }],
  });

describe('while the hub is away', () => {
  let fleet: Fleet;
  let partId = '';
  let home = '';
  let server: ServerProcess;
  let machine: MachineClient;

  const start = async (): Promise<void> => {
    server = await startServer({ config: await fleet.configOf(partId), home });
    machine = new MachineClient(server);
  };
  const stop = async (): Promise<void> => {
    machine.close();
    await server.stop();
  };
  /** The machine's own report. */
  const own = () => machine.grpc.call(ConfigServiceDefinition, 'get', { partId: '' });
  const runs = (text: string) => async (): Promise<boolean> => {
    const { text: stored, revision, appliedRevision } = await own();
    return stored === text && revision === appliedRevision;
  };
  const apply = async (text: string) => {
    const { revision } = await fleet.call(ConfigServiceDefinition, 'get', { partId });
    const request = { partId, text, baseRevision: revision, author: '', note: '' };
    return fleet.call(ConfigServiceDefinition, 'apply', request);
  };
  const isOnline = async (): Promise<boolean> => {
    const scope = { partId, machineId: '', locationId: '', organizationId: '' };
    const { parts } = await fleet.call(PresenceServiceDefinition, 'list', { scope, brief: true });
    return parts[0]?.state === Presence_State.ONLINE;
  };
  const cache = (): string => path.join(home, 'home', 'cloud', partId);

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
    home = await temporaryFolder();
    await start();
    await apply(motor(60));
    await until('the first text is in force', runs(motor(60)), 10_000);
  });

  afterEach(stop);

  it('killed and back: what it accepted is there, and the machine follows it again', async () => {
    await machine.setPower('left', 0.5);
    expect((await apply(motor(70))).outcome?.$case).toBe('applied');
    await fleet.hub.crash();
    await until('the machine says so', () => server.stderr().includes('is not reached'), 10_000);
    await fleet.restart();
    await until('the machine is back', isOnline, 20_000);
    expect((await apply(motor(80))).outcome?.$case).toBe('applied');
    await until('the newest text is in force', runs(motor(80)), 10_000);
    // None of this may stop a turning motor.
    expect(await machine.power('left')).toBe(0.5);
    const { versions } = await fleet.call(ConfigServiceDefinition, 'history', {
      partId,
      limit: 0,
      pageToken: '',
      text: '',
      tagged: false,
      resource: '',
    });
    expect(versions.map(({ number }) => number)).toEqual([3n, 2n, 1n]);
  });

  it('at the start: the machine begins with what it kept, secrets apart, and only its user may read that', async () => {
    await stop();
    await fleet.hub.crash();
    const files = await readdir(cache());
    for (const file of files) {
      const found = await stat(path.join(cache(), file));
      expect(found.mode & 0o777).toBe(found.isDirectory() ? 0o700 : 0o600);
    }
    const secrets = files.filter((file) => file.startsWith('secrets-'));
    expect(secrets).toHaveLength(1);
    expect(await readFile(path.join(cache(), 'config.json'), 'utf8')).not.toContain('top-secret');
    expect(await readFile(path.join(cache(), secrets[0] ?? ''), 'utf8')).toContain('top-secret');
    await startWithout();
    await until('the kept text is in force', runs(motor(60)), 10_000);
    await machine.setPower('left', 0.3);
    // Storing requires the hub: the machine says so, and continues.
    await expect(
      machine.grpc.call(ConfigServiceDefinition, 'apply', {
        partId: '',
        text: motor(90),
        baseRevision: (await own()).revision,
        author: 'Ada',
        note: '',
      }),
    ).rejects.toMatchObject({ code: 14, details: expect.stringContaining('no connection to the hub') as string });
    expect(await machine.power('left')).toBe(0.3);
    await fleet.restart();
    expect((await applyAgain(motor(70))).outcome?.$case).toBe('applied');
    await until('what is stored then is in force', runs(motor(70)), 20_000);
  });

  it('with a damaged copy: it is put aside, and the hub asked', async () => {
    await stop();
    await writeFile(path.join(cache(), 'config.json'), '{"revision": "0123');
    await startWithout();
    expect(server.stderr()).toMatch(/is damaged .* was moved to \S+\.damaged/);
    await until('the text of the hub is in force', runs(motor(60)), 10_000);
    expect(await readFile(path.join(`${cache()}.damaged`, 'config.json'), 'utf8')).toBe('{"revision": "0123');
  });

  /** Starts the machine with its current file. */
  async function startWithout(): Promise<void> {
    server = await startServer({ config: '', home });
    machine = new MachineClient(server);
  }

  /** The machine may be connected again by now, or not yet. */
  async function applyAgain(text: string) {
    return apply(text);
  }
});
