import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GenericServiceDefinition } from '../../proto/gen/core/component/generic/v1/generic.ts';
import { MotorServiceDefinition } from '../../proto/gen/core/component/motor/v1/motor.ts';
import { SensorServiceDefinition } from '../../proto/gen/core/component/sensor/v1/sensor.ts';
import { ModuleServiceDefinition } from '../../proto/gen/core/module/v1/module.ts';
import { callPeer } from '../rpc/peer/outbound-call.ts';
import type { RequestSink } from '../rpc/router.ts';
import { componentConfig, TestParent } from './testing/test-parent.ts';

const program = path.join(import.meta.dirname, 'testing/bench-module.fixture.ts');

const thermometer = (attributes: Parameters<typeof componentConfig>[3]) =>
  componentConfig('core:component:sensor', 'warm', 'acme:test:thermometer', attributes);
const winch = (maxRpm: number) =>
  componentConfig('core:component:motor', 'anchor', 'acme:test:winch', { max_rpm: maxRpm });
const box = (name: string, attributes = {}) =>
  componentConfig('core:component:generic', name, 'acme:test:box', attributes);

describe('a module process written with the SDK', () => {
  let machine: TestParent;
  const said = (message: string): boolean => machine.logs.some((entry) => entry.message === message);
  const readings = async (): Promise<unknown> =>
    (await machine.call(SensorServiceDefinition, 'getReadings', { name: 'warm', extra: undefined })).readings;
  const power = async (): Promise<number> =>
    (await machine.call(MotorServiceDefinition, 'isPowered', { name: 'anchor', extra: undefined })).powerPct;

  beforeEach(async () => {
    machine = await TestParent.start({ program, args: ['--log-level=debug'] });
  });
  afterEach(() => machine.close());

  it('says what it offers in the spelling of its caller, having called the machine back', async () => {
    const { ready, handlermap } = await machine.ready();
    expect(ready).toBe(true);
    expect(
      handlermap?.handlers.map(({ subtype, models }) => [subtype?.subtype, subtype?.protoService, models]),
    ).toEqual([
      [
        { namespace: 'rdk', type: 'component', subtype: 'sensor', name: '' },
        'viam.component.sensor.v1.SensorService',
        ['acme:test:thermometer'],
      ],
      [
        { namespace: 'rdk', type: 'component', subtype: 'motor', name: '' },
        'viam.component.motor.v1.MotorService',
        ['acme:test:winch'],
      ],
      [
        { namespace: 'rdk', type: 'component', subtype: 'generic', name: '' },
        'viam.component.generic.v1.GenericService',
        ['acme:test:box'],
      ],
    ]);
    expect([...machine.callers]).toEqual(['acme_test']);
  });

  it('serves an instance from its adding to its removing', async () => {
    await machine.add(thermometer({ pin: '12', offset: 2 }));
    expect(await readings()).toEqual({ celsius: 23, pin: '12' });
    const command = { name: 'warm', command: { say: 'hello' } };
    expect(await machine.call(SensorServiceDefinition, 'doCommand', command)).toEqual({ result: { said: 'hello' } });
    await machine.remove('rdk:component:sensor/warm');
    await expect(readings()).rejects.toMatchObject({
      code: 'resource.not_found',
      message: 'This module has no rdk:component:sensor/warm.',
    });
    await machine.until('the close is told', () => said('closed warm') && said('ended warm'));
  });

  it('names each wrong attribute, what it is and what is allowed', async () => {
    const validate = (attributes: Parameters<typeof componentConfig>[3]) =>
      machine.call(ModuleServiceDefinition, 'validateConfig', { config: thermometer(attributes) });
    await expect(validate({ offset: 11 })).rejects.toMatchObject({
      code: 'config.invalid',
      message: '"pin" is missing. offset is 11: it must be from -10 to 10.',
    });
    await expect(validate({ pin: '3', ofset: 1 })).rejects.toMatchObject({
      message: 'ofset: the model has no such attribute (did you mean offset?); it has pin, offset, board.',
    });
    await expect(validate({ pin: 'taken' })).rejects.toMatchObject({
      message: 'pin is "taken": another program uses it; choose another one.',
    });
    expect(await validate({ pin: '3', board: 'main' })).toEqual({
      dependencies: ['main'],
      optionalDependencies: ['spare'],
    });
    await expect(machine.add(thermometer({ pin: 3 }))).rejects.toMatchObject({ code: 'config.invalid' });
  });

  it('says why an instance could not be built, and builds it at the next try', async () => {
    await expect(machine.add(thermometer({ pin: 'broken' }))).rejects.toMatchObject({
      code: 'call.failed_precondition',
      message: 'the thermometer does not answer',
    });
    await expect(readings()).rejects.toMatchObject({
      code: 'resource.not_ready',
      message: 'rdk:component:sensor/warm could not be built: the thermometer does not answer',
    });
    await machine.add(thermometer({ pin: '1' }));
    expect(await readings()).toEqual({ celsius: 21, pin: '1' });
  });

  it('changes in place what can, while it turns, and builds anew what cannot', async () => {
    await machine.add(winch(100));
    await machine.call(MotorServiceDefinition, 'setRPM', { name: 'anchor', rpm: 50, extra: undefined });
    await machine.reconfigure(winch(200));
    expect(await power()).toBe(0.5);
    await machine.reconfigure(winch(2_000));
    expect(await power()).toBe(0);

    await machine.add(thermometer({ pin: '1' }));
    await machine.reconfigure(thermometer({ pin: '2' }));
    expect(await readings()).toEqual({ celsius: 21, pin: '2' });
    await machine.until('the first was closed', () => said('closed warm'));
  });

  it('ends a build that its caller gave up, and leaves the others alone', async () => {
    await machine.add(box('quick'));
    const call = startCall(machine, 'addResource', box('slow', { slow: true }));
    await machine.until('the build began', () => said('building slow'));
    const echo = { name: 'quick', command: { a: 1 } };
    expect(await machine.call(GenericServiceDefinition, 'doCommand', echo)).toEqual({
      result: { attributes: {}, command: { a: 1 } },
    });
    call.cancel('the test gives up');
    await machine.until('the build ended', () => said('gave up slow'));
    await machine.add(box('slow'));
    expect(await machine.call(GenericServiceDefinition, 'doCommand', { ...echo, name: 'slow' })).toBeDefined();
  });

  it('tells a long call that its caller is gone', async () => {
    await machine.add(winch(100));
    const call = startMotion(machine);
    await machine.until('it turns', () => said('turning'));
    expect(await power()).toBe(1);
    call.cancel('the caller leaves');
    await machine.until('it was told', () => said('cancelled'));
    expect(await power()).toBe(0);
  });

  it('sends its log to the machine, with levels, names and fields, and loses none of many', async () => {
    await machine.add(thermometer({ pin: '7' }));
    await machine.until('both lines arrived', () => said('built warm') && said('a detail'));
    expect(machine.logs.find(({ message }) => message === 'built warm')).toMatchObject({
      level: 'info',
      loggerName: 'core.component.sensor.warm',
      fields: [
        { Key: 'pin', String: '7' },
        { Key: 'at', String: '1' },
      ],
    });
    expect(machine.logs.find(({ message }) => message === 'a detail')?.level).toBe('debug');

    await machine.add(box('loud'));
    await machine.call(GenericServiceDefinition, 'doCommand', { name: 'loud', command: { flood: 3_000 } });
    const lines = (): number =>
      [...machine.logs.map(({ message }) => message), ...machine.printed].filter((line) => /\bline \d+$/.test(line))
        .length;
    await machine.until('all lines arrived', () => lines() >= 3_000);
    expect(lines()).toBe(3_000);
  });

  it('at SIGTERM stops what moves, closes what there is and ends with 0', async () => {
    await machine.add(winch(100));
    await machine.add(thermometer({ pin: '1' }));
    await machine.call(MotorServiceDefinition, 'setPower', { name: 'anchor', powerPct: 1, extra: undefined });
    machine.process.kill('SIGTERM');
    expect(await machine.ended).toBe(0);
    expect(said('stopped') && said('closed warm')).toBe(true);
  });

  it('stops what moves at once when the machine is gone, and ends when it stays away', async () => {
    await machine.add(winch(100));
    await machine.call(MotorServiceDefinition, 'setPower', { name: 'anchor', powerPct: 1, extra: undefined });
    const before = Date.now();
    await machine.vanish();
    await machine.until('it was stopped', () => machine.printed.some((line) => line.endsWith('anchor: stopped')));
    expect(Date.now() - before).toBeLessThan(5_000);
    expect(await machine.ended).toBe(1);
    expect(machine.printed.some((line) => line.startsWith('ERROR acme_test: The machine is gone for good'))).toBe(true);
  });

  it('at a fault in the code of the author stops what moves, says the fault and ends with 1', async () => {
    await machine.add(winch(100));
    await machine.add(box('bad'));
    await machine.call(GenericServiceDefinition, 'doCommand', { name: 'bad', command: { break: true } });
    expect(await machine.ended).toBe(1);
    expect(said('stopped')).toBe(true);
    expect(said('The code of the module broke: a wire came loose')).toBe(true);
  });
});

function startCall(machine: TestParent, method: 'addResource', config: ReturnType<typeof box>): RequestSink {
  return sinkOf(machine, (start) =>
    callPeer(start, ModuleServiceDefinition, method, { config, dependencies: [] }, noLimit),
  );
}

function startMotion(machine: TestParent): RequestSink {
  const request = { name: 'anchor', rpm: 10, revolutions: 1, extra: undefined };
  return sinkOf(machine, (start) => callPeer(start, MotorServiceDefinition, 'goFor', request, noLimit));
}

const noLimit = {
  timeoutMs: undefined,
  codes: { unreachable: 'resource.not_ready', refused: 'access.denied' },
} as const;

/** A way to cancel a call whose result nobody awaits. */
function sinkOf(machine: TestParent, call: (start: TestParent['start']) => Promise<unknown>): RequestSink {
  let sink: RequestSink | undefined;
  call((...parameters) => (sink = machine.start(...parameters))).catch(() => undefined);
  if (sink === undefined) throw new Error('the call was not started');
  return sink;
}
