import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as sdk from '@viamrobotics/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchConfig, startServer, withWindow, type ServerProcess } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

/** The public TypeScript SDK over native gRPC against the bench configuration. */
describe('the public SDK in Node', () => {
  let server: ServerProcess;
  let robot: sdk.RobotClient;

  beforeAll(async () => {
    server = await startServer({ config: await readFile(benchConfig, 'utf8') });
    robot = new sdk.RobotClient();
    await robot.dial({ host: server.url, noReconnect: true, disableSessions: true });
  });

  afterAll(async () => {
    await robot.disconnect();
    expect(await server.stop()).toBe(0);
  });

  it('lists resources under the names the SDK knows', async () => {
    const names = await robot.resourceNames();
    expect(names.length).toBeGreaterThan(4);
    expect(new Set(names.map(({ namespace }) => namespace))).toEqual(new Set(['rdk']));
    expect(names.map(({ subtype, name }) => `${subtype}/${name}`)).toContain('board/bench');
  });

  it('reads the version and a running machine status', async () => {
    expect((await robot.getVersion()).platform).toBe('rdk');
    const status = await robot.getMachineStatus();
    expect(status.resources.length).toBeGreaterThan(4);
    expect(status.config?.revision).not.toBe('');
  });

  it('sets power and stops a motor in each pin style', async () => {
    for (const name of ['left', 'right', 'turntable']) {
      const motor = new sdk.MotorClient(robot, name);
      await motor.setPower(0.5);
      expect(await motor.isMoving()).toBe(true);
      expect(await motor.isPowered()).toEqual([true, 0.5]);
      await motor.stop();
      expect(await motor.isMoving()).toBe(false);
    }
  });

  it('goes for a number of revolutions and says where it is', async () => {
    const motor = new sdk.MotorClient(robot, 'turntable');
    await motor.resetZeroPosition(0);
    await motor.goFor(60, 1);
    expect((await motor.getProperties()).positionReporting).toBe(true);
    expect(await motor.getPosition()).toBeCloseTo(1, 1);
    expect(await motor.isMoving()).toBe(false);
  });

  it('reads an analog and counts an interrupt', async () => {
    const board = new sdk.BoardClient(robot, 'bench');
    const first = await board.readAnalogReader('level');
    const second = await board.readAnalogReader('level');
    expect(second.value).toBe(first.value + 1);
    expect(await board.getDigitalInterruptValue('button')).toBeGreaterThanOrEqual(0);
  });

  it('streams ticks with rising nanosecond times', async () => {
    const board = new sdk.BoardClient(robot, 'bench');
    const ticks: sdk.Tick[] = [];
    const streaming = board.streamTicks(['button'], ticks).catch(() => undefined);
    const named = (): sdk.Tick[] => ticks.filter(({ pinName }) => pinName !== '');
    await until('two ticks', () => named().length >= 2, 10_000);
    const [first, second] = named();
    expect(Number(second?.time)).toBeGreaterThan(Number(first?.time));
    void streaming;
  });

  it('reads a sensor and talks to a generic component', async () => {
    const readings = await new sdk.SensorClient(robot, 'climate').getReadings();
    expect(Object.keys(readings).length).toBeGreaterThan(0);
    const command = sdk.Struct.fromJson({ ping: 1 });
    expect(await new sdk.GenericComponentClient(robot, 'echo').doCommand(command)).toEqual({ ping: 1 });
  });

  it('names a missing resource with NotFound', async () => {
    const missing = new sdk.MotorClient(robot, 'nowhere');
    await expect(missing.isMoving()).rejects.toMatchObject({ code: 5 });
  });

  it('stops everything by StopAll', async () => {
    const motor = new sdk.MotorClient(robot, 'left');
    await motor.setPower(0.3);
    await robot.stopAll();
    expect(await motor.isMoving()).toBe(false);
  });
});

describe('a client that is killed', () => {
  const driver = path.join(import.meta.dirname, 'drive-and-wait.ts');

  async function driveUntilMoving(server: ServerProcess, mode: string): Promise<ChildProcess> {
    const child = spawn(process.execPath, [driver, server.url, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    return child;
  }

  it.each(['goFor', 'setPower', 'session'])(
    'leaves no motor turning after SIGKILL in the middle of %s',
    async (mode) => {
      const server = await startServer({ config: withWindow(await readFile(benchConfig, 'utf8'), '1m') });
      const robot = new sdk.RobotClient();
      await robot.dial({ host: server.url, noReconnect: true, disableSessions: true });
      const motor = new sdk.MotorClient(robot, 'turntable');
      const child = await driveUntilMoving(server, mode);
      expect(await motor.isMoving()).toBe(true);
      child.kill('SIGKILL');
      await until('the motor stands', async () => !(await motor.isMoving()), 10_000);
      await robot.disconnect();
      expect(await server.stop()).toBe(0);
    },
  );
});
