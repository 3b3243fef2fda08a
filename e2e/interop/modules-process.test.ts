import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { status } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { RobotServiceDefinition, type RestartModuleRequest } from '../../proto/gen/core/robot/v1/robot.ts';
import { Level } from '../../proto/gen/core/log/v1/log.ts';
import { Module_State, Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import type { MachineContents, ModuleMachine } from '../harness/module-machine.ts';
import { until } from '../harness/until.ts';
import { bench, withModules } from '../harness/with-modules.ts';

const module = { name: 'bare', kind: 'node-grpc' } as const;
const probe = { name: 'probe', api: 'core:component:sensor', model: 'acme:bare:probe', attributes: { value: 7 } };
const contents: MachineContents = { modules: [module], components: [probe, bench] };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const restart = (machine: ModuleMachine, which: Partial<RestartModuleRequest>): Promise<unknown> =>
  machine.client.grpc.call(RobotServiceDefinition, 'restartModule', { moduleId: '', moduleName: '', ...which });

describe('the process of a module', { timeout: 90_000 }, () => {
  it('has its folders, its names and what its configuration adds in its environment, under both prefixes', async (context) => {
    const env = { FLAVOUR: 'sour', HOST_OF: '${environment.KITCHEN}-7', SVC_MODULE_ID: 'acme:mine' };
    const machine = await withModules(
      context,
      { ...contents, modules: [{ ...module, more: { env } }] },
      { environment: { KITCHEN: 'bakery', PRIVATE_THING: 'not for modules' } },
    );
    await machine.ready('probe');
    const names = ['HOME', 'MODULE_ROOT', 'MODULE_DATA', 'MODULE_NAME', 'MODULE_ID', 'MODULE_STARTUP_TIMEOUT'].flatMap(
      (name) => [`SVC_${name}`, `VIAM_${name}`],
    );
    const more = ['FLAVOUR', 'HOST_OF', 'PATH', 'PRIVATE_THING', 'SVC_RESOURCE_CONFIGURATION_TIMEOUT'];
    const seen = await machine.command('probe', { env: [...names, ...more] });
    const home = path.join(machine.server.home, 'home');
    expect(seen).toMatchObject({
      FLAVOUR: 'sour',
      HOST_OF: 'bakery-7',
      PRIVATE_THING: null,
      SVC_HOME: home,
      VIAM_HOME: home,
      SVC_MODULE_NAME: 'bare',
      VIAM_MODULE_NAME: 'bare',
      SVC_MODULE_ID: 'acme:mine',
      SVC_RESOURCE_CONFIGURATION_TIMEOUT: expect.stringMatching(/^1m/) as string,
    });
    // After the machine's own Node, for launchers that need one.
    expect(String(seen['PATH']).endsWith(process.env['PATH'] ?? '')).toBe(true);
    expect(seen['SVC_MODULE_DATA']).toBe(seen['VIAM_MODULE_DATA']);
    expect(existsSync(String(seen['SVC_MODULE_DATA']))).toBe(true);
    const { argv, cwd } = await machine.command('probe', { argv: true });
    expect(cwd).toBe(realpathSync(String(seen['SVC_MODULE_ROOT'])));
    expect((argv as string[]).length).toBe(1);
  });

  it('in TCP mode is told so, and serves on loopback', async (context) => {
    const machine = await withModules(context, { ...contents, modules: [{ ...module, more: { tcp_mode: true } }] });
    await machine.ready('probe');
    const { argv } = (await machine.command('probe', { argv: true })) as { argv: string[] };
    expect(argv[0]).toMatch(/^(127\.0\.0\.1|localhost):\d+$/);
    expect(argv).toContain('--tcp-mode');
    expect(await machine.readings('probe')).toMatchObject({ value: 7 });
  });

  it('is killed: its resources fail with the reason, others do not, and it is back by itself', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('probe', 'bench');
    const pid = await machine.moduleReady('bare');
    const failed = machine.until('it fails', () => {
      const { state, reason = '' } = machine.resource('probe') ?? {};
      return state === Resource_State.FAILED && /bare.*SIGKILL/.test(reason);
    });
    process.kill(pid, 'SIGKILL');
    await failed;
    expect(machine.isReady('bench')).toBe(true);
    await machine.ready('probe');
    expect((await machine.readings('probe'))['pid']).not.toBe(pid);
  });

  it('ends by itself: its last words are the reason', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('probe');
    const pid = await machine.moduleReady('bare');
    await machine.command('probe', { exit: 4 }).catch(() => undefined);
    await machine.moduleReady('bare', pid);
    expect(machine.modules.get('bare')?.lastExit).toMatch(/code 4.*KeyError: 'pin'/s);
    await machine.ready('probe');
  });

  it('is started anew by RestartModule, by name and by id; one that is not there is named', async (context) => {
    const machine = await withModules(context, contents);
    await machine.ready('probe');
    const first = await machine.moduleReady('bare');
    await restart(machine, { moduleName: 'bare' });
    const second = await machine.moduleReady('bare', first);
    await restart(machine, { moduleId: 'acme:bare' });
    await machine.moduleReady('bare', second);
    await machine.ready('probe');
    expect(machine.modules.get('bare')?.restarts).toBe(0);
    await expect(restart(machine, { moduleName: 'bear' })).rejects.toMatchObject({
      code: status.NOT_FOUND,
      details: expect.stringContaining('bear') as string,
    });
  });

  it('that fails is started at once by RestartModule, however long its back-off is', async (context) => {
    const machine = await withModules(context, {
      ...contents,
      modules: [{ ...module, more: { env: { FAULTS: 'exits-at-start' } } }],
    });
    const lastWords = /code 3.*the probe has no power/s;
    await machine.until('it says why', () => lastWords.test(machine.modules.get('bare')?.reason ?? ''));
    await machine.until('it failed twice', () => (machine.modules.get('bare')?.attempts ?? 0) >= 2);
    const { state, attempts = 0 } = machine.modules.get('bare') ?? {};
    expect(state === Module_State.FAILED || state === Module_State.STARTING).toBe(true);
    expect(machine.resource('probe')?.state).not.toBe(Resource_State.READY);
    await expect(restart(machine, { moduleName: 'bare' })).rejects.toMatchObject({
      code: status.UNAVAILABLE,
      details: expect.stringMatching(lastWords) as string,
    });
    await machine.until('tried again', () => (machine.modules.get('bare')?.attempts ?? 0) !== attempts);
  });

  it('log_level is passed to it and filters at once; its lines have their level', async (context) => {
    const leveled = (level: string): MachineContents => ({
      ...contents,
      modules: [{ ...module, more: { log_level: level } }],
    });
    const machine = await withModules(context, leveled('warn'));
    await machine.ready('probe');
    const pid = await machine.moduleReady('bare');
    expect((await machine.command('probe', { argv: true }))['argv']).toContain('--log-level=warn');
    await machine.command('probe', { flood: 1, text: 'INFO quiet' });
    await machine.command('probe', { flood: 1, text: 'WARNING loud' });
    const loud = await machine.logged('a warning', { text: 'loud' }, () => true);
    expect(loud.level).toBe(Level.WARN);
    expect(await machine.log({ text: 'quiet' })).toEqual([]);
    await machine.configure(leveled('info'));
    await machine.command('probe', { flood: 1, text: 'INFO quiet' });
    await machine.logged('it is let through', { text: 'quiet' }, () => true);
    expect(await machine.moduleReady('bare')).toBe(pid);
  });

  it('and all that it started end with the machine, however that ends', async (context) => {
    for (const how of ['SIGTERM', 'SIGKILL'] as const) {
      const machine = await withModules(context, contents);
      await machine.ready('probe');
      const pid = await machine.moduleReady('bare');
      const { pid: child } = (await machine.command('probe', { fork: true })) as { pid: number };
      expect(isRunning(child)).toBe(true);
      await machine.server.kill(how);
      await until(`the process is gone after ${how}`, () => !isRunning(pid), 15_000);
      await until(`its child is gone after ${how}`, () => !isRunning(child), 15_000);
    }
  });

  it('with -untrusted-env is not started, and says why', async (context) => {
    const machine = await withModules(context, contents, { args: ['-untrusted-env'] });
    await machine.until('it says so', () => (machine.modules.get('bare')?.reason ?? '') !== '');
    expect(machine.modules.get('bare')).toMatchObject({ pid: 0 });
    expect(machine.modules.get('bare')?.reason).toContain('untrusted-env');
    expect(machine.isReady('bench')).toBe(true);
  });
});
