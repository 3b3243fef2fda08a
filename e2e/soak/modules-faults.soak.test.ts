import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Module_State, Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import { ModuleMachine, type ModuleEntry, type ResourceEntry } from '../harness/module-machine.ts';
import type { ServerOptions } from '../harness/server-process.ts';
import { until } from '../harness/until.ts';
import { tell } from './figures.ts';
import { COLLECTED_SOON, descriptorsOf, kindsOfDescriptors, processesWith, residentMib } from './marked-processes.ts';
import { steady, steadyResources, SteadyModule } from './steady-module.ts';

const MARK = 'SOAK_MARK';
/** How long all of them fail at once. */
const TOGETHER_MS = 60_000;
/** What of the processor a machine may cost that runs all of these, as a share of one core, beyond quiet. */
const startupTimeout = { SVC_MODULE_STARTUP_TIMEOUT: '5s' };

/** Faults at the start of a module, and the reason that is then shown. */
const atStart: Readonly<Record<string, RegExp>> = {
  'never-ready': /ready|5 ?s/i,
  'no-socket': /5 ?s|socket|listen/i,
  'garbage-ready': /answer|Ready|decode|message/i,
  'garbage-wire': /Ready|connect|protocol|HTTP/i,
  'exits-at-start': /code 3/,
  'dies-after-ready': /code 9/,
};

let mark = '';
let machine: ModuleMachine | undefined;

function modulesWith(faults: readonly string[]): ModuleEntry[] {
  return faults.map((fault) => ({
    name: fault,
    kind: 'node-grpc',
    id: `acme:${fault}`,
    more: { env: { FAULTS: fault, [MARK]: mark } },
  }));
}

function probesOf(modules: readonly ModuleEntry[]): ResourceEntry[] {
  return modules.map(({ name, id }) => ({ name: `probe-${name}`, api: 'core:component:sensor', model: `${id}:probe` }));
}

async function start(faulty: readonly ModuleEntry[], options: Partial<ServerOptions> = {}): Promise<ModuleMachine> {
  machine = await ModuleMachine.start(
    {
      ...steadyResources,
      modules: [steady, ...faulty],
      components: [...steadyResources.components, ...probesOf(faulty)],
    },
    options,
  );
  return machine;
}

const serverPid = (): number => machine?.server.process.pid ?? 0;

describe('modules that do everything wrong', () => {
  beforeEach(() => {
    mark = `${process.pid}-${performance.now()}`;
  });

  afterEach(async () => {
    expect(await machine?.stop()).toBe(0);
    expect(processesWith(MARK, mark)).toEqual([]);
  });

  it(`all at once for ${TOGETHER_MS / 1_000} s: each says why, and the module beside them notices nothing`, async () => {
    const faulty = modulesWith([...Object.keys(atStart), 'floods', 'forks', 'ignores-sigterm']);
    const running = await start(faulty, { environment: { ...startupTimeout, NODE_OPTIONS: COLLECTED_SOON } });
    const watched = await SteadyModule.watch(running);
    const reasons = new Map<string, Set<string>>();
    const collect = (): boolean => {
      for (const [name, { state, reason }] of running.modules) {
        if (state === Module_State.FAILED) reasons.set(name, (reasons.get(name) ?? new Set()).add(reason));
      }
      return false;
    };
    const [descriptors, memory] = [descriptorsOf(serverPid()), residentMib(serverPid())];
    await running.until('never', collect, TOGETHER_MS).catch(() => undefined);

    for (const [fault, words] of Object.entries(atStart)) {
      const said = [...(reasons.get(fault) ?? [])];
      expect(said.join('\n'), fault).toMatch(words);
      expect(running.resource(`probe-${fault}`)?.state, fault).not.toBe(Resource_State.READY);
    }
    for (const fine of ['floods', 'forks', 'ignores-sigterm'])
      expect(running.isReady(`probe-${fine}`), fine).toBe(true);
    const { medianMs, p99Ms } = await watched.end();
    const [after, memoryAfter] = [descriptorsOf(serverPid()), residentMib(serverPid())];
    tell(
      `${faulty.length} modules that misbehave: the other's calls median ${medianMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; ` +
        `descriptors of the machine ${descriptors} then ${after}, memory ${memory.toFixed(0)} then ${memoryAfter.toFixed(0)} MiB; ` +
        `attempts ${[...running.modules].map(([name, { attempts }]) => `${name} ${attempts}`).join(', ')}`,
    );
    for (const [name, said] of reasons) tell(`${name}: ${[...said].join(' | ').slice(0, 300)}`);
    expect(after, JSON.stringify(kindsOfDescriptors(serverPid()))).toBeLessThanOrEqual(descriptors + 10);
    expect(memoryAfter - memory).toBeLessThan(80);
  });

  it('answers garbage, leaks every descriptor it may have, forks: its own calls suffer, and no others', async () => {
    const running = await start(modulesWith(['wild']));
    await running.ready('probe-wild');
    const watched = await SteadyModule.watch(running);
    const descriptors = descriptorsOf(serverPid());
    expect(await running.command('probe-wild', { leak: 10_000_000 })).toMatchObject({
      leaked: expect.any(Number) as number,
    });
    await running.command('probe-wild', { garbage: true });
    await expect(running.readings('probe-wild')).rejects.toThrow();
    for (let fork = 0; fork < 20; fork++) await running.command('probe-wild', { fork: true }).catch(() => undefined);
    await watched.end();
    expect(descriptorsOf(serverPid())).toBeLessThanOrEqual(descriptors + 3);
  });

  it('hangs: its callers are told, it is found out, killed and started again', async () => {
    const running = await start(modulesWith(['wild']), { environment: { SVC_MODULE_HANG_TIMEOUT: '20s' } });
    await running.ready('probe-wild');
    const watched = await SteadyModule.watch(running);
    const pid = await running.moduleReady('wild');
    const startedAt = performance.now();
    await expect(running.command('probe-wild', { hang: true })).rejects.toThrow();
    await running.moduleReady('wild', pid);
    tell(`a module that hangs ran again ${((performance.now() - startedAt) / 1_000).toFixed(0)} s after`);
    expect(processesWith(MARK, mark)).not.toContain(pid);
    await running.ready('probe-wild');
    await watched.end();
  });

  it('its children end with it, also those that do not hear SIGTERM', async () => {
    const running = await start(modulesWith(['forks']));
    await running.ready('probe-forks');
    const pid = await running.moduleReady('forks');
    const child = (await running.command('probe-forks', { fork: true }))['pid'];
    const before = processesWith(MARK, mark);
    expect(before.length).toBeGreaterThanOrEqual(3);
    process.kill(pid, 'SIGKILL');
    await running.moduleReady('forks', pid);
    await until('the child is gone', () => !processesWith(MARK, mark).includes(Number(child)), 15_000);
    await until('no more than before', () => processesWith(MARK, mark).length <= before.length - 1, 15_000);
  });

  it('ignores SIGTERM, or crashes at it: the machine ends in time, and with it all that it started', async () => {
    const running = await start(modulesWith(['ignores-sigterm', 'crashes-at-shutdown', 'forks']));
    await running.ready('probe-ignores-sigterm', 'probe-crashes-at-shutdown', 'probe-forks');
    const startedAt = performance.now();
    expect(await running.server.stop()).toBe(0);
    const ms = performance.now() - startedAt;
    tell(`the machine ended ${ms.toFixed(0)} ms after SIGTERM`);
    expect(ms).toBeLessThan(30_000);
  });
});
