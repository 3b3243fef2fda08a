import * as sdk from '@viamrobotics/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { ConfigServiceDefinition } from '../../proto/gen/core/config/v1/config.ts';
import { Level } from '../../proto/gen/core/log/v1/log.ts';
import { Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import type { MachineContents, ModuleMachine } from '../harness/module-machine.ts';
import { until } from '../harness/until.ts';
import { bench, withModules } from '../harness/with-modules.ts';
import { useGrpcTransport } from './sdk-transport.ts';

useGrpcTransport();

const thermometer = {
  name: 'oven',
  api: 'rdk:component:sensor',
  model: 'acme:pysdk:thermometer',
  attributes: { unit: 'celsius' },
};
const wheel = {
  name: 'wheel',
  api: 'rdk:component:motor',
  model: 'acme:pysdk:motor',
  attributes: { board: 'bench', pwm: '11', dir: '13' },
};
const module = { name: 'heat', kind: 'python-sdk' } as const;
const contents: MachineContents = { modules: [module], components: [thermometer, wheel, bench] };

async function dial(machine: ModuleMachine): Promise<sdk.RobotClient> {
  const robot = new sdk.RobotClient();
  await robot.dial({ host: machine.server.url, noReconnect: true, disableSessions: true });
  onTestFinished(() => robot.disconnect());
  return robot;
}

/** Lines that it logs while it calls the machine; as many as one page of the log. */
const CHATTER = 200;

/** A module that its author wrote for the public machine server, unchanged. */
describe('a module on the public Python SDK', { timeout: 90_000 }, () => {
  it('gives the public TypeScript SDK its readings, and turns a motor on pins of our board', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('oven', 'wheel');
    const robot = await dial(machine);
    expect(await new sdk.SensorClient(robot, 'oven').getReadings()).toMatchObject({ temperature: 20, unit: 'celsius' });

    // The configuration does not name the board: the module requested it in ValidateConfig.
    expect(machine.resource('wheel')?.dependsOn).toEqual(['core:component:board/bench']);
    const motor = new sdk.MotorClient(robot, 'wheel');
    await motor.setPower(0.25);
    expect(await motor.isPowered()).toEqual([true, 0.25]);
    expect(await machine.client.pwm('11')).toBeCloseTo(0.25);
    expect(await machine.client.gpio('13')).toBe(true);
    await motor.setPower(-1);
    expect(await machine.client.gpio('13')).toBe(false);
    await motor.stop();
    expect(await motor.isMoving()).toBe(false);
    expect(await machine.client.pwm('11')).toBe(0);
    await motor.goFor(60, 1);
    expect(await motor.getPosition()).toBeGreaterThan(0.9);
    expect(await machine.client.pwm('11')).toBe(0);
  });

  it('gives the public TypeScript SDK a None as a null, in readings and answers of DoCommand, at any depth', async (context) => {
    const faulty = { ...thermometer, attributes: { unit: 'celsius', fault: true } };
    const machine = await withModules(context, { modules: [module], components: [faulty] });
    await machine.ready('oven');
    const oven = new sdk.SensorClient(await dial(machine), 'oven');
    const nothing = { fault: null, history: [1, null, { since: null }] };
    expect(await oven.getReadings()).toMatchObject({ ...nothing, temperature: 20, unit: 'celsius' });
    const answer = await oven.doCommand(sdk.Struct.fromJson({ nothing: true }));
    expect(answer).toEqual({ nothing: null, within: { list: [null] } });
  });

  it('lets an error of the machine through to its caller: the call ends, with the words', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('wheel');
    await expect(machine.client.setPower('wheel', Number.NaN)).rejects.toMatchObject({
      details: expect.stringContaining('duty_cycle_pct is NaN') as string,
    });
  });

  it('names the attribute that is wrong, at its field while it is typed, and at the resource', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('oven');
    const check = async (attributes: object) => {
      const text = await machine.textOf({ ...contents, components: [{ ...thermometer, attributes }, wheel, bench] });
      return (await machine.client.grpc.call(ConfigServiceDefinition, 'validate', { partId: '', text })).problems;
    };
    expect(await check({ unit: 'celsius' })).toEqual([]);
    const [wrong] = await check({ unit: 'kelvin' });
    expect(wrong).toMatchObject({ pointer: '/components/0/attributes/unit', code: 'module.invalid' });
    expect(wrong?.message).toContain('"unit" must be "celsius" or "fahrenheit", not \'kelvin\'');
    const [missing] = await check({});
    expect(missing?.pointer).toMatch(/^\/components\/0\/attributes/);
    expect(missing?.message).toContain('"unit" is required');

    await machine.configure({ ...contents, components: [{ ...thermometer, attributes: {} }, wheel, bench] });
    await machine.until('it fails', () => machine.resource('oven')?.state === Resource_State.FAILED);
    expect(machine.resource('oven')?.reason).toContain('"unit" is required: "celsius" or "fahrenheit"');
    expect(machine.isReady('wheel')).toBe(true);
  });

  it('logs with its level and the name of its resource, and what it prints with the name of the module', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('oven');
    const measured = await machine.logged('its own line', { text: 'measures in celsius' }, () => true);
    expect(measured.level).toBe(Level.INFO);
    expect(measured.logger).toContain('oven');
    await machine.command('oven', { log: 'too hot', level: 'warning' });
    expect((await machine.logged('a warning', { text: 'too hot' }, () => true)).level).toBe(Level.WARN);
    await machine.command('oven', { print: 'on the way out' });
    const printed = await machine.logged('what it printed', { text: 'on the way out' }, () => true);
    expect(printed.level).toBe(Level.INFO);
    expect(printed.logger).toMatch(/heat.*StdOut/);
    await machine.command('oven', { print: 'not good', to: 'stderr' });
    const complained = await machine.logged('what it complained of', { text: 'not good' }, () => true);
    expect(complained.level).toBe(Level.ERROR);
    expect(complained.logger).toMatch(/heat.*StdErr/);
  });

  it('may log while it calls the machine: no call of it is lost, and no line', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('wheel');
    await machine.command('wheel', { chatter: CHATTER }, MotorServiceDefinition.fullName);
    const lines = async (): Promise<number> => (await machine.log({ text: 'chatter' })).length;
    await until('all that it said is in the log', async () => (await lines()) === CHATTER, 10_000);
  });

  it('killed, its resources fail with the reason and come back by themselves', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('oven', 'wheel');
    const before = await machine.moduleReady('heat');
    await machine.client.setPower('wheel', 0.5);
    let reason = '';
    const failed = machine.until('the sensor fails', () => {
      const { state, reason: said = '' } = machine.resource('oven') ?? {};
      if (state === Resource_State.FAILED && said.includes('SIGKILL')) reason = said;
      return reason !== '';
    });
    process.kill(before, 'SIGKILL');
    await failed;
    expect(reason).toContain('heat');
    expect(await machine.moduleReady('heat', before)).not.toBe(before);
    await machine.ready('oven', 'wheel');
    expect(await machine.readings('oven')).toMatchObject({ temperature: 20 });
    expect(machine.modules.get('heat')).toMatchObject({ restarts: 1 });
    expect(machine.modules.get('heat')?.lastExit).toContain('SIGKILL');
    // Nobody controls the outputs that it drove over its connection any more.
    await until('the pin is off', async () => (await machine.client.pwm('11')) === 0, 10_000);
  });

  it('a change of its attributes reaches it, and one of its instances comes and goes beside the other', async (context) => {
    const machine = await withModules(context, { modules: [module], components: [thermometer, bench] });
    await machine.ready('oven');
    const pid = await machine.moduleReady('heat');
    const warm = { ...thermometer, attributes: { unit: 'fahrenheit', offset: 5 } };
    await machine.configure({ modules: [module], components: [warm, wheel, bench] });
    await machine.ready('oven', 'wheel');
    expect(await machine.readings('oven')).toMatchObject({ temperature: 77, unit: 'fahrenheit' });
    await machine.client.setPower('wheel', 0.5);
    await machine.configure({ modules: [module], components: [warm, bench] });
    await machine.until('the motor is gone', () => machine.resource('wheel') === undefined);
    expect(await machine.client.pwm('11')).toBe(0);
    expect(await machine.moduleReady('heat')).toBe(pid);
  });
});
