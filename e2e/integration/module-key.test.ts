import { stat } from 'node:fs/promises';
import { onTestFinished, describe, expect, it } from 'vitest';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { StatusCode } from '../../proto/status-code.ts';
import { HubClient } from '../harness/hub-process.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { moduleKeyFile, moduleKeyOf } from '../harness/module-key.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';

async function start(config: string): Promise<ServerProcess> {
  const server = await startServer({ config });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

describe('the module key of a machine', () => {
  it('opens its hub to its modules: their own machine, and no other', async () => {
    const fleet = await Fleet.start();
    const partId = await fleet.partId();
    const text = JSON.stringify({ components: [{ name: 'left', api: 'rdk:component:motor', model: 'fake' }] });
    await fleet.setConfig(partId, text);
    const { locations } = await fleet.owner.call('listLocations', { organizationId: fleet.organizationId });
    const { id: otherId } = await fleet.owner.call('newRobot', { name: 'other', location: locations[0]?.id ?? '' });
    const { parts } = await fleet.owner.call('getRobotParts', { robotId: otherId });
    const otherPart = parts[0]?.id ?? '';

    const server = await start(await fleet.configOf(partId));
    await until('the machine is connected', () => server.stderr().includes('connected to the hub'), 15_000);
    expect((await stat(await moduleKeyFile(server))).mode & 0o777).toBe(0o600);
    const key = await moduleKeyOf(server);
    const module = await fleet.logIn(key);
    expect((await module.call('getRobotPart', { id: partId })).configJson).toBe(text);
    await expect(module.call('getRobotPart', { id: otherPart })).rejects.toMatchObject({ code: StatusCode.NOT_FOUND });
    const change = { id: partId, name: '', robotConfig: undefined, robotConfigJson: '{}' };
    await expect(module.call('updateRobotPart', change)).rejects.toMatchObject({ code: StatusCode.PERMISSION_DENIED });
    expect(server.stderr()).not.toContain(key.secret);
    expect(fleet.hub.stderr()).not.toContain(key.secret);

    await fleet.owner.call('deleteRobot', { id: await fleet.robotId() });
    await expect(module.call('getRobotPart', { id: partId })).rejects.toMatchObject({
      code: StatusCode.UNAUTHENTICATED,
    });
  });

  it('opens the hub beside the machine as well, and the machine with the same token', async () => {
    const server = await start(JSON.stringify({ network: { bind_address: 'localhost:0' } }));
    await until('the machine is connected', () => server.stderr().includes('connected to the hub'), 15_000);
    const module = await HubClient.logIn(server.url, await moduleKeyOf(server));
    onTestFinished(() => module.close());
    const headers = { authorization: `Bearer ${module.token}` };
    const ids = await module.grpc.call(RobotServiceDefinition, 'getCloudMetadata', {}, { headers });
    const { part } = await module.call('getRobotPart', { id: ids.machinePartId });
    expect(part?.id).toBe(ids.machinePartId);
    await expect(module.call('getRobotAPIKeys', { robotId: ids.machineId })).rejects.toMatchObject({
      code: StatusCode.PERMISSION_DENIED,
    });
  });
});
