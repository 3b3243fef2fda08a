import { describe, expect, it } from 'vitest';
import type { MachineContents, ModuleMachine } from '../harness/module-machine.ts';
import { until } from '../harness/until.ts';
import { bench, withModules } from '../harness/with-modules.ts';

const module = { name: 'heat', kind: 'python-sdk' } as const;
const motor = {
  name: 'turner',
  api: 'rdk:component:motor',
  model: 'gpio',
  attributes: { board: 'bench', pins: { pwm: '11', dir: '13' }, max_rpm: 60 },
};
const servo = {
  name: 'gate',
  api: 'rdk:component:servo',
  model: 'acme:pysdk:servo',
  attributes: { motor: 'turner' },
};
const contents: MachineContents = { modules: [module], components: [bench, motor, servo] };

async function turning(context: Parameters<typeof withModules>[0]): Promise<ModuleMachine> {
  const machine = await withModules(context, contents);
  await machine.ready('turner', 'gate');
  await machine.client.setPower('turner', 0.25);
  expect(await machine.client.pwm('11')).toBeCloseTo(0.25);
  return machine;
}

/** The module's record of the last calls of its servo. */
async function lastCalls(machine: ModuleMachine): Promise<readonly string[]> {
  const lines = [...(await machine.log({ text: 'its motor' }))].reverse();
  return lines.map(({ message }) => message.trim());
}

/** A module needs its dependencies until the very end: to stop, and to close. */
describe('a servo of a module, on a motor of the machine,', { timeout: 90_000 }, () => {
  it.for<[string, MachineContents['components']]>([
    ['removed with its motor', [bench]],
    ['whose motor has another name', [bench, { ...motor, name: 'other' }, servo]],
    ['whose motor is disabled', [bench, { ...motor, disabled: true }, servo]],
  ])('%s, reaches it in stop and in close, and the motor is stopped after', async ([, components], context) => {
    const machine = await turning(context);
    await machine.configure({ modules: [module], components });
    await until('it has closed', async () => /parked|could/.test((await lastCalls(machine)).at(-1) ?? ''), 10_000);
    // The machine stops it before it is removed, and the SDK stops it again.
    expect(new Set(await lastCalls(machine))).toEqual(new Set(['stopped its motor', 'parked by its motor']));
    await until('the pin is off', async () => (await machine.client.pwm('11')) === 0, 10_000);
  });

  it('stops and closes by its motor when the server ends', async (context) => {
    const machine = await turning(context);
    await machine.stop();
    const said = machine.server.stderr() + machine.server.stdout();
    expect(said).toContain('stopped its motor');
    expect(said).toContain('parked by its motor');
    expect(said).not.toContain('could not reach its motor');
  });
});
