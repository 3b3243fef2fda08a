import { describe, expect, it } from 'vitest';
import type { MachineInfo, ResourceView, StatusEvent } from './machine-view.ts';
import { moduleView } from './module.fixture.ts';
import { emptyPicture, groupResources, machineTone, mergeStatus, modelLabel, readinessOf } from './status-merge.ts';

const machine: MachineInfo = { name: 'bench', state: 'running', version: '1', configSource: '', startedAt: undefined };

function resource(name: string, over: Partial<ResourceView> = {}): ResourceView {
  const api = over.api ?? 'core:component:motor';
  return {
    fullName: `${api}/${name}`,
    name,
    api,
    model: 'core:builtin:gpio',
    state: 'ready',
    reason: '',
    since: 0,
    attempts: 0,
    waitingFor: [],
    dependsOn: [],
    nextTryAt: 0,
    ...over,
  };
}

const snapshot = (resources: ResourceView[]): StatusEvent => ({ kind: 'snapshot', machine, resources, modules: [] });
const unchanged = { upserted: [], removed: [], upsertedModules: [], removedModules: [] };

describe('status merging', () => {
  it('keeps modules by name: those that a change names, and the same map where it names none', () => {
    const [motors, env] = [moduleView('acme_motors'), moduleView('acme_env')];
    const before = mergeStatus(emptyPicture, { kind: 'snapshot', machine, resources: [], modules: [motors, env] });
    const failed = moduleView('acme_motors', { state: 'failed', reason: 'exit code 1' });
    const changes = { kind: 'changes', machine: undefined, ...unchanged } as const;
    const after = mergeStatus(before, { ...changes, upsertedModules: [failed], removedModules: ['acme_env'] });
    expect([...after.modules.values()]).toEqual([failed]);
    expect(mergeStatus(after, { ...changes, upserted: [resource('a')] }).modules).toBe(after.modules);
  });

  it('replaces everything by a snapshot, so that a resource removed during a lost link does not stay', () => {
    const before = mergeStatus(emptyPicture, snapshot([resource('a'), resource('b')]));
    const after = mergeStatus(before, snapshot([resource('b')]));
    expect([...after.resources.keys()]).toEqual(['core:component:motor/b']);
  });

  it('applies changes without touching the others, and keeps the machine when a change does not carry it', () => {
    const before = mergeStatus(emptyPicture, snapshot([resource('a'), resource('b')]));
    const after = mergeStatus(before, {
      kind: 'changes',
      machine: undefined,
      ...unchanged,
      upserted: [resource('c', { state: 'failed', reason: 'no pin' })],
      removed: ['core:component:motor/a'],
    });
    expect([...after.resources.values()].map(({ name, state }) => [name, state])).toEqual([
      ['b', 'ready'],
      ['c', 'failed'],
    ]);
    expect(after.machine).toBe(machine);
    expect(before.resources.size).toBe(2);
  });

  it('keeps a resource that is removed and added again in one event', () => {
    const before = mergeStatus(emptyPicture, snapshot([resource('a')]));
    const after = mergeStatus(before, {
      kind: 'changes',
      machine: undefined,
      ...unchanged,
      upserted: [resource('a', { state: 'configuring' })],
      removed: ['core:component:motor/a'],
    });
    expect(after.resources.get('core:component:motor/a')?.state).toBe('configuring');
  });

  it('counts readiness without the disabled ones', () => {
    const all = [resource('a'), resource('b', { state: 'disabled' }), resource('c', { state: 'failed' })];
    expect(readinessOf(all)).toEqual({ ready: 1, expected: 2, failed: 1, isSettling: false });
    expect(machineTone(machine, readinessOf(all))).toBe('bad');
    expect(machineTone({ ...machine, state: 'starting' }, readinessOf(all))).toBe('warn');
    expect(machineTone(undefined, readinessOf([]))).toBe('off');
  });

  it('groups components before services, by name with numbers in order, and filters by model', () => {
    const all = [
      resource('capture', { api: 'core:service:data_manager', model: 'core:builtin:builtin' }),
      resource('m10'),
      resource('m2'),
      resource('climate', { api: 'core:component:sensor', model: 'acme:env:bme280' }),
    ];
    expect(groupResources(all, '').map((group) => [group.kind, group.resources.map(({ name }) => name)])).toEqual([
      ['component', ['climate', 'm2', 'm10']],
      ['service', ['capture']],
    ]);
    expect(groupResources(all, 'BME')[0]?.resources.map(({ name }) => name)).toEqual(['climate']);
    expect(groupResources(all, 'nothing like it')).toEqual([]);
  });

  it('shortens built-in models only', () => {
    expect(modelLabel('rdk:builtin:gpio')).toBe('gpio');
    expect(modelLabel('acme:builtin:gpio')).toBe('acme:builtin:gpio');
    expect(modelLabel('acme:env:bme280')).toBe('acme:env:bme280');
  });
});
