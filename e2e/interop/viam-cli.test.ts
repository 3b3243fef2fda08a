import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fleet } from '../harness/joined-machine.ts';
import { startServer } from '../harness/server-process.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { until } from '../harness/until.ts';

const run = promisify(execFile);

/** The public command line, as it is built of its source: github.com/viamrobotics/rdk, `cli/viam`. */
const program =
  process.env['ARMATURE_VIAM_CLI'] ??
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'viam'))
    .find((file) => existsSync(file));

describe('the public command line', () => {
  let fleet: Fleet;
  let viam: (...args: readonly string[]) => Promise<string>;

  beforeEach(async (context) => {
    if (program === undefined) {
      context.skip('there is no program "viam" in PATH, and ARMATURE_VIAM_CLI names none');
      return;
    }
    fleet = await Fleet.start();
    const env = { HOME: await temporaryFolder(), SSL_CERT_FILE: fleet.authorityFile, PATH: '' };
    viam = async (...args) =>
      (await run(program, ['--quiet', '--base-url', fleet.hub.url, ...args], { env, timeout: 30_000 })).stdout;
    await viam('login', 'api-key', '--key-id', fleet.ownerKey.id, '--key', fleet.ownerKey.secret);
  });

  it('logs in with a key of the hub, and lists what the key may see', async () => {
    const machineId = await fleet.robotId();
    expect(await viam('organizations', 'list')).toContain(`(id: ${fleet.organizationId})`);
    const { robot } = await fleet.owner.call('getRobot', { id: machineId });
    expect(await viam('locations', 'list')).toContain(`(id: ${robot?.location})`);
    expect(await viam('machines', 'list')).toContain(`(id: ${machineId})`);
  });

  it('shows status and logs of a machine by its id, fields with their values, and starts it anew', async () => {
    const [machine, part] = [await fleet.robotId(), await fleet.partId()];
    const server = await startServer({ config: await fleet.configOf(part) });
    try {
      const logs = (): Promise<string> => viam('machines', 'logs', '--machine', machine, '--count', '100');
      await until('its logs are there', async () => (await logs()).includes('"failures": '), 15_000);
      expect(await logs()).toMatch(/\{"failures": 0\}/);
      expect(await logs()).toMatch(/\{"version": "[^"]+", "config": "/);
      const { robot } = await fleet.owner.call('getRobot', { id: machine });
      const { organization } = await fleet.owner.call('getOrganization', { organizationId: fleet.organizationId });
      const status = await viam('machines', 'status', '--machine', machine);
      expect(status).toContain(`Name: ${robot?.name}`);
      expect(status).toContain(organization?.name);
      expect(await viam('machines', 'part', 'status', '--machine', machine, '--part', part)).toContain(`ID: ${part}`);
      expect(await viam('machines', 'part', 'logs', '--machine', machine, '--part', part, '--count', '5')).not.toBe('');
      await viam('machines', 'part', 'restart', '--machine', machine, '--part', part);
      await until('it ends for its new start', () => server.process.exitCode !== null, 15_000);
    } finally {
      await server.stop();
    }
  });

  it('calls a method of a machine, which it finds by its name in the local network', async () => {
    const [machine, part] = [await fleet.robotId(), await fleet.partId()];
    await fleet.setConfig(
      part,
      JSON.stringify({ components: [{ name: 'left', api: 'core:component:motor', model: 'fake' }] }),
    );
    const server = await startServer({ config: await fleet.configOf(part) });
    try {
      const run = (...args: readonly string[]): Promise<string> =>
        viam('machines', 'part', 'run', '--machine', machine, '--part', part, ...args);
      await until('its motor is there', () => server.stderr().includes('left: added'), 15_000);
      expect(await run('viam.robot.v1.RobotService.ResourceNames')).toContain('"name": "left"');
      const isMoving = 'viam.component.motor.v1.MotorService.IsMoving';
      expect(JSON.parse(await run('--data', '{"name": "left"}', isMoving))).toEqual({ isMoving: false });
    } finally {
      await server.stop();
    }
  });
});
