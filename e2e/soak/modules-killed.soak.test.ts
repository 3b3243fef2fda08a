import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RobotServiceDefinition } from '../../proto/gen/core/robot/v1/robot.ts';
import { Module_State, Resource_State } from '../../proto/gen/core/status/v1/status.ts';
import { ModuleMachine, type MachineContents } from '../harness/module-machine.ts';
import { spread, tell } from './figures.ts';
import { COLLECTED_SOON, descriptorsOf, kindsOfDescriptors, processesWith, residentMib } from './marked-processes.ts';
import { steady, steadyResources, SteadyModule } from './steady-module.ts';

const KILLS = 100;
const CHANGES = 20;
const MARK = 'SOAK_MARK';

const wild = { name: 'wild', kind: 'node-grpc', id: 'acme:wild' } as const;
const probe = { name: 'probe', api: 'core:component:sensor', model: 'acme:wild:probe', attributes: { value: 1 } };

/** When it is killed, counted from its start. */
const moments = ['while it starts', 'when it is ready', 'in the middle of a call', 'some time later'] as const;

describe('a module that is killed again and again', () => {
  let machine: ModuleMachine;
  let contents: MachineContents;
  let mark = '';

  beforeEach(async () => {
    mark = `${process.pid}-${performance.now()}`;
    contents = {
      ...steadyResources,
      modules: [steady, { ...wild, more: { env: { [MARK]: mark } } }],
      components: [...steadyResources.components, probe],
    };
    machine = await ModuleMachine.start(contents, { environment: { NODE_OPTIONS: COLLECTED_SOON } });
  });

  afterEach(async () => {
    expect(await machine.stop()).toBe(0);
    expect(processesWith(MARK, mark)).toEqual([]);
  });

  const server = (): number => machine.server.process.pid ?? 0;
  const restart = () =>
    machine.client.grpc.call(RobotServiceDefinition, 'restartModule', {
      moduleId: '',
      moduleName: 'wild',
    });
  const pid = (): number => machine.modules.get('wild')?.pid ?? 0;

  it(`${KILLS} times at every moment: its resource fails at once with the reason and returns; nothing else notices`, async () => {
    await machine.ready('probe');
    const watched = await SteadyModule.watch(machine);
    const [descriptors, memory] = [descriptorsOf(server()), residentMib(server())];
    const failedMs: number[] = [];
    const backMs: number[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      const moment = moments[kill % moments.length];
      let call: Promise<unknown> = Promise.resolve();
      if (moment === 'while it starts') {
        // It would resolve when the module is ready, which does not happen to this one.
        call = restart().catch(() => undefined);
        await machine.until('it starts', () => {
          const module = machine.modules.get('wild');
          return module?.state === Module_State.STARTING && module.pid !== 0;
        });
      } else {
        await machine.ready('probe');
        if (moment === 'in the middle of a call')
          call = machine.command('probe', { hang: true }).catch(() => undefined);
        if (moment === 'some time later') await new Promise((resolve) => setTimeout(resolve, (kill * 37) % 200));
      }
      const victim = pid();
      const killedAt = performance.now();
      const gone = machine.until('its resource is not ready', () => !machine.isReady('probe'));
      process.kill(victim, 'SIGKILL');
      await gone;
      failedMs.push(performance.now() - killedAt);
      await call;
      await machine.until('its end is told', () => machine.modules.get('wild')?.lastExit.includes('SIGKILL') === true);
      // Its back-off would make this test last for hours; another test shows that it restarts by itself.
      const askedAt = performance.now();
      await restart();
      await machine.moduleReady('wild', victim);
      await machine.ready('probe');
      backMs.push(performance.now() - askedAt);
    }
    const { medianMs, p99Ms } = await watched.end();
    const [after, memoryAfter] = [descriptorsOf(server()), residentMib(server())];
    tell(
      `${KILLS} kills: resource not ready ${spread(failedMs)} after; ready again ${spread(backMs)} after RestartModule; ` +
        `the other module's calls median ${medianMs.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; ` +
        `descriptors of the machine ${descriptors} then ${after}, memory ${memory.toFixed(0)} then ${memoryAfter.toFixed(0)} MiB`,
    );
    expect(after, JSON.stringify(kindsOfDescriptors(server()))).toBeLessThanOrEqual(descriptors + 3);
    expect(memoryAfter - memory).toBeLessThan(40);
    expect(processesWith(MARK, mark)).toHaveLength(1);
  });

  it('left alone it is back by itself, at once five times, then later each time it is killed early', async () => {
    const waits: number[] = [];
    for (let kill = 0; kill < 8; kill++) {
      await machine.ready('probe');
      const victim = pid();
      const killedAt = performance.now();
      process.kill(victim, 'SIGKILL');
      await machine.moduleReady('wild', victim);
      waits.push(performance.now() - killedAt);
    }
    tell(`back by itself after ${waits.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    const [slowestAtOnce, ...later] = [Math.max(...waits.slice(0, 5)), ...waits.slice(5)];
    // The first delay is 1 s, minus a fifth at most; the time of the start is added, more on a busy computer.
    expect(Math.min(...later)).toBeGreaterThan(800);
    expect(later.at(-1)).toBeGreaterThan(slowestAtOnce);
  });

  it(`${CHANGES} times by a change of its own attributes: the text stays, and it runs with it`, async () => {
    await machine.ready('probe');
    const watched = await SteadyModule.watch(machine);
    for (let change = 1; change <= CHANGES; change++) {
      const before = pid();
      const attributes = { value: change, crash_on_reconfigure: true };
      await machine.configure({ ...contents, components: [...steadyResources.components, { ...probe, attributes }] });
      await machine.until('it crashed', () => pid() !== before);
      await restart();
      await machine.moduleReady('wild', before);
      await machine.ready('probe');
      expect(await machine.readings('probe')).toMatchObject({ value: change });
    }
    await watched.end();
    expect(machine.resource('calm')?.state).toBe(Resource_State.READY);
  });
});
