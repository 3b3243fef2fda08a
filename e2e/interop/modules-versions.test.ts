import { describe, expect, it, onTestFinished } from 'vitest';
import { Visibility } from '../../proto/gen/core/app/v1/app.ts';
import { RegistryServiceDefinition } from '../../proto/gen/core/hub/v1/registry.ts';
import { Fleet } from '../harness/joined-machine.ts';
import { ModuleMachine } from '../harness/module-machine.ts';
import { modulePackage } from '../harness/module-package.ts';
import { uploadModule } from '../harness/module-upload.ts';
import { bench } from '../harness/with-modules.ts';

const moduleId = 'acme:bare';
const moduleName = 'acme_bare';
const wheel = {
  name: 'wheel',
  api: 'core:component:motor',
  model: `${moduleId}:motor`,
  attributes: { board: 'bench', pin: '11' },
};
const platform = 'linux/any';

async function publish(fleet: Fleet, version: string): Promise<void> {
  await uploadModule(fleet.owner, { moduleId, version, platform }, await modulePackage('node-grpc', moduleId, version));
}

async function startFleet(): Promise<Fleet> {
  const fleet = await Fleet.start();
  await fleet.owner.call('updateOrganizationNamespace', {
    organizationId: fleet.organizationId,
    newPublicNamespace: 'acme',
  });
  await fleet.owner.call('createModule', { organizationId: fleet.organizationId, name: 'bare' });
  await fleet.owner.call('updateModule', {
    moduleId,
    visibility: Visibility.PRIVATE,
    url: '',
    description: 'A probe, a motor and a counter.',
    models: [{ api: 'rdk:component:motor', model: `${moduleId}:motor`, supportedHardware: [] }],
    entrypoint: 'run.sh',
    apps: [],
  });
  return fleet;
}

/** A machine of the fleet that runs the module's motor, which is turning. */
async function machineOn(fleet: Fleet, partId: string, version: string): Promise<ModuleMachine> {
  const modules = [{ type: 'registry', name: moduleName, module_id: moduleId, version }];
  await fleet.setConfig(partId, JSON.stringify({ modules, components: [bench, wheel] }));
  const machine = await ModuleMachine.join(await fleet.configOf(partId));
  onTestFinished(async () => void (await machine.stop()));
  await machine.ready('wheel');
  await machine.client.setPower('wheel', 0.5);
  expect(await machine.client.pwm('11')).toBeCloseTo(0.5);
  return machine;
}

const versionOf = (machine: ModuleMachine): string | undefined => machine.modules.get(moduleName)?.version;

describe('versions of a module, published at the hub of three machines', { timeout: 120_000 }, () => {
  it('1.2.4 moves machines on 1.2.* and 1.* but not 1.2.3, and their motor is stopped first', async () => {
    const fleet = await startFleet();
    await publish(fleet, '1.2.3');
    const robotId = await fleet.robotId();
    const [minor, major, exact] = await Promise.all(
      ['1.2.*', '1.*', '1.2.3'].map(async (version, index) => {
        const { partId } = await fleet.owner.call('newRobotPart', { robotId, partName: `machine-${index}` });
        return machineOn(fleet, partId, version);
      }),
    );
    if (minor === undefined || major === undefined || exact === undefined) throw new Error('there are three');
    for (const machine of [minor, major, exact]) expect(versionOf(machine)).toBe('1.2.3');
    const pid = exact.modules.get(moduleName)?.pid;

    await publish(fleet, '1.2.4');
    for (const machine of [minor, major]) {
      await machine.until('it runs 1.2.4', () => versionOf(machine) === '1.2.4' && machine.isReady('wheel'), 60_000);
      // The last lines of the old process, before the new one was started.
      const told = await machine.logged('its last words', { text: 'turning motors' }, () => true);
      expect(told.message).toContain('ends with 0 turning motors');
      const started = await machine.logged('the new one', { text: 'this is version 1.2.4' }, () => true);
      expect(started.seq).toBeGreaterThan(told.seq);
      expect(await machine.client.pwm('11')).toBe(0);
      expect(await machine.client.isMoving('wheel')).toBe(false);
      expect(machine.modules.get(moduleName)).toMatchObject({ restarts: 0, isFromRegistry: true });
    }
    expect(versionOf(exact)).toBe('1.2.3');
    expect(exact.modules.get(moduleName)?.pid).toBe(pid);
    expect(await exact.client.isMoving('wheel')).toBe(true);
    expect(await exact.client.pwm('11')).toBeCloseTo(0.5);
  });

  it('one that does not become ready is rolled back by itself, to the version that ran', async () => {
    const fleet = await startFleet();
    await publish(fleet, '1.2.3');
    const partId = await fleet.partId();
    const machine = await machineOn(fleet, partId, 'latest');
    const broken = await modulePackage('node-grpc', moduleId, '1.3.0', 'exit 7');
    await uploadModule(fleet.owner, { moduleId, version: '1.3.0', platform }, broken);
    await machine.until(
      'it says that 1.3.0 is not usable',
      () => machine.modules.get(moduleName)?.update?.reason.includes('code 7') === true,
      60_000,
    );
    await machine.until('it runs as before', () => versionOf(machine) === '1.2.3' && machine.isReady('wheel'), 60_000);
    await machine.client.setPower('wheel', 0.25);
    expect(await machine.client.pwm('11')).toBeCloseTo(0.25);
  });

  it('a yanked version is replaced by the newest that is not, on channels alone', async () => {
    const fleet = await startFleet();
    for (const version of ['1.2.3', '1.2.4']) await publish(fleet, version);
    const machine = await machineOn(fleet, await fleet.partId(), '1.2.*');
    expect(versionOf(machine)).toBe('1.2.4');
    await fleet.call(RegistryServiceDefinition, 'yank', {
      moduleId,
      version: '1.2.4',
      reason: 'melts',
      isUndone: false,
    });
    await machine.until('it runs 1.2.3', () => versionOf(machine) === '1.2.3' && machine.isReady('wheel'), 60_000);
  });
});
