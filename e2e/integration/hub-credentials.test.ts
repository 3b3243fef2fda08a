import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigServiceDefinition, Source } from '../../proto/gen/core/config/v1/config.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { MachineClient } from '../harness/machine-client.ts';
import { runArmature, startServer, type ServerProcess } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const motor = JSON.stringify({ components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake' }] });

describe('credentials of a machine', () => {
  let fleet: Fleet;
  let partId = '';
  let server: ServerProcess | undefined;

  const own = () => {
    const machine = new MachineClient(server ?? '');
    return machine.grpc.call(ConfigServiceDefinition, 'get', { partId: '' }).finally(() => machine.close());
  };

  beforeEach(async () => {
    fleet = await Fleet.start();
    partId = await fleet.partId();
  });

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  it('that are wrong: a named error without the secret, and a machine that runs', async () => {
    const config = fleet.configWith({ id: partId, api_key: { id: 'nobody', key: 'wrong-secret' } });
    server = await startServer({ config });
    expect(server.stderr()).toMatch(/does not accept the credentials of part .*: invalid credentials/);
    expect(server.stderr()).not.toContain('wrong-secret');
    expect(await own()).toMatchObject({ text: '', source: Source.NONE });
  });

  it('that are revoked while it is connected: a named error, and what runs goes on', async () => {
    const { id, secret } = await fleet.createKey('organization_owner');
    await fleet.owner.call('updateRobotPart', { id: partId, name: '', robotConfig: undefined, robotConfigJson: motor });
    server = await startServer({ config: fleet.configWith({ id: partId, api_key: { id, key: secret } }) });
    const machine = new MachineClient(server.url);
    await until('it has its motor', async () => (await machine.resourceNames()).length === 1, 10_000);
    await machine.setPower('left', 0.5);
    await fleet.owner.call('deleteKey', { id });
    await until('the machine says so', () => /does not accept the credentials/.test(server?.stderr() ?? ''), 15_000);
    expect(await machine.power('left')).toBe(0.5);
    expect(server.stderr()).not.toContain(secret);
    machine.close();
  });

  it('of another part: refused with what may not be done', async () => {
    const { robots } = await fleet.owner.call('listRobotsForOrg', { orgId: fleet.organizationId });
    const { partId: other } = await fleet.owner.call('newRobotPart', {
      robotId: robots[0]?.id ?? '',
      partName: 'other',
    });
    const { part } = await fleet.owner.call('createRobotPartSecret', { partId });
    // The secret of one part, used by a machine that claims to be another.
    const secret = part?.secrets.at(-1)?.secret ?? '';
    server = await startServer({ config: fleet.configWith({ id: other, secret }) });
    expect(server.stderr()).toContain('does not accept the credentials');
    await server.stop();
    // A key for another location.
    const elsewhere = await fleet.owner.call('createLocation', {
      organizationId: fleet.organizationId,
      name: 'Elsewhere',
      parentLocationId: undefined,
    });
    const foreign = await fleet.createKey('location_owner', elsewhere.location?.id ?? '');
    server = await startServer({
      config: fleet.configWith({ id: partId, api_key: { id: foreign.id, key: foreign.secret } }),
    });
    expect(server.stderr()).toMatch(/does not accept the credentials of part .*: There is no part/);
  });

  it.each([
    ['no authority', (cloud: Record<string, unknown>) => delete cloud['ca'], /certificate/],
    ['half a key', (cloud: Record<string, unknown>) => (cloud['api_key'] = { id: 'x' }), /cloud\.api_key/],
    [
      'clear text to elsewhere',
      (cloud: Record<string, unknown>) => (cloud['app_address'] = 'http://192.0.2.1:80'),
      /clear text/,
    ],
    ['an address that is none', (cloud: Record<string, unknown>) => (cloud['app_address'] = ''), /app_address/],
  ])('with %s: the program says what to change', async (_name, change, words) => {
    const document = JSON.parse(fleet.configWith({ id: partId, secret: 'x' })) as { cloud: Record<string, unknown> };
    change(document.cloud);
    const file = path.join(await temporaryFolder(), 'machine.json');
    await writeFile(file, JSON.stringify(document));
    if (document.cloud['ca'] === undefined) {
      server = await startServer({ config: JSON.stringify(document) });
      expect(server.stderr()).toMatch(words);
      return;
    }
    const run = await runArmature(['server', '-config', file]);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(words);
  });
});
