import { describe, expect, it } from 'vitest';
import {
  Changes,
  Machine,
  Machine_State,
  Module,
  Module_State,
  Package,
  Package_State,
  Remote,
  Remote_State,
  Resource_State,
  type Resource,
  type WatchResponse,
} from '../../../../proto/gen/core/status/v1/status.ts';
import { shortName } from '../machine-view.ts';
import { resourceOf } from '../resource.fixture.ts';
import {
  emptyStatus,
  groupResources,
  machineTone,
  mergeStatus,
  modelLabel,
  readinessOf,
  remoteOf,
  stateName,
  toneOf,
} from './status-merge.ts';

const machine = Machine.fromPartial({ name: 'bench', state: Machine_State.RUNNING });

const snapshot = (resources: Resource[], modules: Module[] = []): WatchResponse => ({
  event: { $case: 'snapshot', value: { machine, resources, modules, packages: [], remotes: [] } },
});
const changes = (value: Partial<Changes>): WatchResponse => ({
  event: { $case: 'changes', value: { ...Changes.fromPartial({}), ...value } },
});

describe('status merging', () => {
  it('keeps modules by name, and the same map if a change contains none', () => {
    const modules = ['acme_motors', 'acme_env'].map((name) => Module.fromPartial({ name }));
    const before = mergeStatus(emptyStatus, snapshot([], modules));
    const failed = Module.fromPartial({ name: 'acme_motors', state: Module_State.FAILED });
    const after = mergeStatus(before, changes({ upsertedModules: [failed], removedModules: ['acme_env'] }));
    expect([...after.modules.values()].map(({ name, state }) => [name, state])).toEqual([
      ['acme_motors', Module_State.FAILED],
    ]);
    expect(mergeStatus(after, changes({ upserted: [resourceOf('a')] })).modules).toBe(after.modules);
  });

  it('keeps packages by name, as modules', () => {
    const packages = ['parts', 'shapes'].map((name) => Package.fromPartial({ name }));
    const before = mergeStatus(emptyStatus, {
      event: { $case: 'snapshot', value: { machine, resources: [], modules: [], packages, remotes: [] } },
    });
    const ready = Package.fromPartial({ name: 'parts', state: Package_State.READY });
    const after = mergeStatus(before, changes({ upsertedPackages: [ready], removedPackages: ['shapes'] }));
    expect([...after.packages.values()]).toEqual([ready]);
  });

  it('keeps connections to other machines by name, as modules', () => {
    const remotes = ['second', 'third'].map((name) => Remote.fromPartial({ name }));
    const before = mergeStatus(emptyStatus, {
      event: { $case: 'snapshot', value: { machine, resources: [], modules: [], packages: [], remotes } },
    });
    const lost = Remote.fromPartial({ name: 'second', state: Remote_State.FAILED });
    const after = mergeStatus(before, changes({ upsertedRemotes: [lost], removedRemotes: ['third'] }));
    expect([...after.remotes.values()]).toEqual([lost]);
    expect(['core:remote:second', 'core:builtin:gpio'].map(remoteOf)).toEqual(['second', '']);
  });

  it('replaces everything by a snapshot, so that a resource removed while offline does not stay', () => {
    const before = mergeStatus(emptyStatus, snapshot([resourceOf('a'), resourceOf('b')]));
    const after = mergeStatus(before, snapshot([resourceOf('b')]));
    expect([...after.resources.keys()]).toEqual(['core:component:motor/b']);
  });

  it('applies changes without touching the others, and keeps the machine when a change does not carry it', () => {
    const [a, b] = [resourceOf('a'), resourceOf('b')];
    const c = resourceOf('c', { state: Resource_State.FAILED, reason: 'no pin' });
    const before = mergeStatus(emptyStatus, snapshot([a, b]));
    const after = mergeStatus(before, changes({ upserted: [c], removed: [a.name] }));
    expect([...after.resources.values()]).toEqual([b, c]);
    expect(after.machine).toBe(machine);
    expect(before.resources.size).toBe(2);
  });

  it('keeps a resource that is removed and added again in one event', () => {
    const a = resourceOf('a');
    const again = resourceOf('a', { state: Resource_State.CONFIGURING });
    const after = mergeStatus(
      mergeStatus(emptyStatus, snapshot([a])),
      changes({ upserted: [again], removed: [a.name] }),
    );
    expect(after.resources.get(a.name)).toBe(again);
  });

  it('ignores an unknown event of a newer machine', () => {
    const before = mergeStatus(emptyStatus, snapshot([resourceOf('a')]));
    expect(mergeStatus(before, {})).toBe(before);
  });

  it('gives each state a name and a colour, also an unknown one of a newer machine', () => {
    const states = [Resource_State.READY, Resource_State.FAILED, Resource_State.UNSPECIFIED, 99 as Resource_State];
    expect(states.map((state) => [stateName(state), toneOf(state)])).toEqual([
      ['ready', 'ok'],
      ['failed', 'bad'],
      ['unconfigured', 'off'],
      ['unconfigured', 'off'],
    ]);
  });

  it('counts readiness without the disabled ones', () => {
    const [disabled, failed] = [Resource_State.DISABLED, Resource_State.FAILED];
    const all = [resourceOf('a'), resourceOf('b', { state: disabled }), resourceOf('c', { state: failed })];
    expect(readinessOf(all)).toEqual({ ready: 1, expected: 2, failed: 1, isSettling: false });
    expect(machineTone(machine, readinessOf(all))).toBe('bad');
    expect(machineTone({ ...machine, state: Machine_State.INITIALIZING }, readinessOf(all))).toBe('warn');
    expect(machineTone(undefined, readinessOf([]))).toBe('off');
  });

  it('groups components before services, by name with numbers in order, and filters by model', () => {
    const all = [
      resourceOf('capture', { api: 'core:service:data_manager', model: 'core:builtin:builtin' }),
      resourceOf('m10'),
      resourceOf('m2'),
      resourceOf('climate', { api: 'core:component:sensor', model: 'acme:env:bme280' }),
    ];
    expect(
      groupResources(all, '').map((group) => [group.kind, group.resources.map(({ name }) => shortName(name))]),
    ).toEqual([
      ['component', ['climate', 'm2', 'm10']],
      ['service', ['capture']],
    ]);
    expect(groupResources(all, 'BME')[0]?.resources.map(({ name }) => shortName(name))).toEqual(['climate']);
    expect(groupResources(all, 'nothing like it')).toEqual([]);
  });

  it('shortens built-in models only', () => {
    expect(modelLabel('rdk:builtin:gpio')).toBe('gpio');
    expect(modelLabel('acme:builtin:gpio')).toBe('acme:builtin:gpio');
    expect(modelLabel('acme:env:bme280')).toBe('acme:env:bme280');
    expect(modelLabel('core:remote:second')).toBe('on second');
  });
});
