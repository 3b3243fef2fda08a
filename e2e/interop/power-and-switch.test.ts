import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonWith, viamSdk } from '../harness/python-environment.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

const run = promisify(execFile);
const script = path.join(import.meta.dirname, 'power_and_switch.py');

const config = JSON.stringify({
  network: { bind_address: 'localhost:0' },
  components: [
    { name: 'supply', api: 'rdk:component:power_sensor', model: 'fake', attributes: { volts: 24, amps: 1.5 } },
    {
      name: 'mode',
      api: 'rdk:component:switch',
      model: 'rdk:builtin:fake',
      attributes: { position_count: 3, labels: ['off', 'slow', 'fast'] },
    },
  ],
});
const refusal = /"mode": position is 3; allowed is 0 to 2/;

describe('a power sensor and a switch, for the public SDKs', () => {
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServer({ config });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('are read and turned by that for TypeScript', async () => {
    const robot = new sdk.RobotClient();
    await robot.dial({ host: server.url, noReconnect: true });
    try {
      const supply = new sdk.PowerSensorClient(robot, 'supply');
      expect(await supply.getVoltage()).toEqual([24, false]);
      expect(await supply.getCurrent()).toEqual([1.5, false]);
      expect(await supply.getPower()).toBe(36);
      expect(await supply.getReadings()).toEqual({ volts: 24, amps: 1.5, watts: 36, is_ac: false });
      const mode = new sdk.SwitchClient(robot, 'mode');
      expect(await mode.getNumberOfPositions()).toEqual([3, ['off', 'slow', 'fast']]);
      await mode.setPosition(1);
      expect(await mode.getPosition()).toBe(1);
      await expect(mode.setPosition(3)).rejects.toThrow(refusal);
      expect(await mode.getPosition()).toBe(1);
    } finally {
      await robot.disconnect();
    }
  });

  it('are read and turned by that for Python', async (context) => {
    const { python, whyNot } = pythonWith(viamSdk);
    if (whyNot !== undefined) context.skip(whyNot);
    const { port } = new URL(server.url);
    const { stdout } = await run(python, [script, `localhost:${port}`], { timeout: 25_000 });
    expect(JSON.parse(stdout)).toMatchObject({
      voltage: [24, false],
      current: [1.5, false],
      power: 36,
      readings: { volts: 24, amps: 1.5, watts: 36, is_ac: false },
      positions: [3, ['off', 'slow', 'fast']],
      after: 2,
      refusal: expect.stringMatching(refusal) as string,
    });
  }, 240_000);
});
