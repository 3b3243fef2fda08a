import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/clock.ts';
import type { ModuleStatus } from '../../modules/module-status.ts';
import type { DiagnosticSource, Reading } from '../source.ts';
import { ModuleSources, type ProcessTable } from './module-sources.ts';

const module = (name: string, pid: number, restarts = 0): ModuleStatus =>
  ({ name, pid, restarts }) as unknown as ModuleStatus;

function setUp() {
  const clock = new ManualClock();
  const sources = new Map<string, DiagnosticSource>();
  let modules: readonly ModuleStatus[] = [];
  /** By pid: group and ticks. */
  const processes = new Map<number, { group: number; cpuTicks: number; isZombie: boolean }>();
  let looks = 0;
  const table: ProcessTable = {
    ids: () => {
      looks++;
      return [...processes.keys()];
    },
    read: (pid) => processes.get(pid),
    residentBytes: () => 1_000,
  };
  const watcher = new ModuleSources({
    clock,
    add: (source) => {
      sources.set(source.name, source);
      return () => void sources.delete(source.name);
    },
    modules: () => modules,
    processes: table,
  });
  const { source } = watcher;
  const second = (): unknown[] => {
    clock.advance(1_000);
    void source.read();
    return [...sources.values()].map((one) => [one.name, ...(one.read() as Reading)]);
  };
  return {
    processes,
    watcher,
    sources,
    second,
    looks: () => looks,
    set: (next: readonly ModuleStatus[]) => (modules = next),
  };
}

describe('sources of modules', () => {
  it('say what all processes of a module use together', () => {
    const { processes, second, set } = setUp();
    processes.set(10, { group: 10, cpuTicks: 200, isZombie: false });
    processes.set(11, { group: 10, cpuTicks: 50, isZombie: false });
    processes.set(12, { group: 10, cpuTicks: 7, isZombie: true });
    processes.set(20, { group: 20, cpuTicks: 999, isZombie: false });
    set([module('acme', 10, 3)]);
    expect(second()).toEqual([['module.acme', 2.5, 2_000, 2, 3]]);
  });

  it('look through all processes for a new one at once, and else now and then', () => {
    const { processes, second, set, looks } = setUp();
    processes.set(10, { group: 10, cpuTicks: 0, isZombie: false });
    set([module('acme', 10)]);
    for (let at = 0; at < 9; at++) second();
    expect(looks()).toBe(1);
    second();
    second();
    expect(looks()).toBe(2);
    processes.set(30, { group: 30, cpuTicks: 100, isZombie: false });
    set([module('acme', 30, 1)]);
    expect(second()).toEqual([['module.acme', 1, 1_000, 1, 1]]);
    expect(looks()).toBe(3);
  });

  it('say of a module without a process that it has none, and go with it', () => {
    const { second, set, looks, sources } = setUp();
    set([module('acme', 0)]);
    expect(second()).toEqual([['module.acme', undefined, undefined, 0, 0]]);
    expect(looks()).toBe(0);
    set([]);
    second();
    expect(sources.size).toBe(0);
  });
});
