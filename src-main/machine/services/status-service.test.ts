import { describe, expect, it } from 'vitest';
import {
  Machine_State,
  Module_State,
  ModuleUpdate_Step,
  Package_State,
  Remote_State,
  Resource_State,
  type WatchResponse,
} from '../../../proto/gen/core/status/v1/status.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { ResourceStatus, StatusChanges } from '../graph/state.ts';
import type { ModuleChanges, ModuleStatus } from '../modules/module-status.ts';
import type { RemoteChanges, RemoteStatus } from '../remotes/remote-status.ts';
import type { PackageChanges, PackageStatus } from '../modules/package-status.ts';
import { statusService, type MachineSummary, type StatusSource } from './status-service.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';

const summary: MachineSummary = {
  name: 'bench',
  state: 'running',
  version: '1.0.0',
  desiredRevision: 'b',
  appliedRevision: 'a',
  startedAt: 1_000,
  configSource: '/etc/machine.json',
  errors: 1,
  warnings: 2,
};

const resource = (name: string, state: ResourceStatus['state']): ResourceStatus => ({
  fullName: `core:component:motor/${name}`,
  name,
  api: 'core:component:motor',
  model: 'core:builtin:gpio',
  state,
  since: 5_000,
  revision: 'a',
  dependsOn: ['core:component:board/bench'],
  notes: '',
});

const crashed: ModuleStatus = {
  name: 'acme_motors',
  moduleId: 'acme:motors',
  isFromRegistry: true,
  version: '1.2.3',
  wantedVersion: '1.*',
  notes: 'mine',
  state: { kind: 'failed', reason: 'ended: exit code 1 after 3.2 s', attempts: 2, nextRetryAt: 9_000 },
  since: 5_000,
  pid: 0,
  models: [{ api: 'core:component:motor', model: 'acme:motors:left' }],
  restarts: 2,
  lastExit: 'exit code 1 after 3.2 s',
  usage: { cpu: 0.25, memoryBytes: 1_000 },
  update: { version: '1.3.0', step: 'downloading', doneBytes: 10, totalBytes: 20, reason: '' },
  restartHint: 'why not',
  isolation: 'none',
};

const packageStatus: PackageStatus = {
  name: 'parts',
  packageId: 'org-1/parts',
  type: 'ml_model',
  version: '1.0.0',
  wantedVersion: 'latest',
  state: 'ready',
  reason: '',
  since: 7_000,
  update: { version: '1.0.1', step: 'downloading', doneBytes: 5, totalBytes: 9, reason: '' },
};

const remoteStatus: RemoteStatus = {
  name: 'second',
  address: 'bench-2:8080',
  state: 'failed',
  reason: 'nobody answers',
  since: 8_000,
  attempts: 3,
  nextRetryAt: 9_000,
};

interface FakeSource extends StatusSource {
  emit(changes: StatusChanges | undefined): void;
  emitModules(changes: ModuleChanges): void;
  emitPackages(changes: PackageChanges): void;
  emitRemotes(changes: RemoteChanges): void;
  readonly listeners: number;
  /** Packages that were retried. */
  readonly retried: readonly string[];
}

function fakeSource(): FakeSource {
  const listeners = new Set<(changes: StatusChanges | undefined) => void>();
  const moduleListeners = new Set<(changes: ModuleChanges) => void>();
  const packageListeners = new Set<(changes: PackageChanges) => void>();
  const remoteListeners = new Set<(changes: RemoteChanges) => void>();
  const modules = new Map<string, ModuleStatus>();
  const resources = new Map<string, ResourceStatus>([['left', resource('left', { kind: 'ready' })]]);
  const retried: string[] = [];
  return {
    retried,
    machine: () => summary,
    resources: () => [...resources.values()],
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    modules: () => [...modules.values()],
    packages: () => [packageStatus],
    onPackages: (listener) => {
      packageListeners.add(listener);
      return () => void packageListeners.delete(listener);
    },
    emitPackages: (changes) => {
      for (const listener of packageListeners) listener(changes);
    },
    remotes: () => [remoteStatus],
    onRemotes: (listener) => {
      remoteListeners.add(listener);
      return () => void remoteListeners.delete(listener);
    },
    emitRemotes: (changes) => {
      for (const listener of remoteListeners) listener(changes);
    },
    retryPackage: (name) => {
      if (name !== packageStatus.name) throw new ArmatureError('call.not_found', `There is no package ${name}.`);
      retried.push(name);
    },
    onModules: (listener) => {
      moduleListeners.add(listener);
      return () => void moduleListeners.delete(listener);
    },
    emitModules: (changes) => {
      for (const status of changes.upserted) modules.set(status.name, status);
      for (const listener of moduleListeners) listener(changes);
    },
    emit: (changes) => {
      for (const status of changes?.upserted ?? []) resources.set(status.name, status);
      for (const listener of listeners) listener(changes);
    },
    get listeners() {
      return listeners.size + moduleListeners.size + packageListeners.size + remoteListeners.size;
    },
  };
}

function watch(source: StatusSource) {
  const { call, cancel } = cancellableCall();
  const stream = statusService(source).watch?.({}, call)[Symbol.asyncIterator]();
  if (stream === undefined) throw new Error('no watch');
  return { stream, cancel };
}

describe('core.status.v1.StatusService', () => {
  it('tells how the connections to other machines are, whole each time', async () => {
    const source = fakeSource();
    const { stream, cancel } = watch(source);
    const told = {
      name: 'second',
      address: 'bench-2:8080',
      state: Remote_State.FAILED,
      reason: 'nobody answers',
      since: new Date(8_000),
      attempts: 3,
      nextRetry: new Date(9_000),
    };
    expect((await next(stream)).event).toMatchObject({ $case: 'snapshot', value: { remotes: [told] } });
    source.emitRemotes({
      upserted: [{ ...remoteStatus, state: 'connected', reason: '', attempts: 0, nextRetryAt: undefined }],
      removed: ['third'],
    });
    expect((await next(stream)).event).toMatchObject({
      $case: 'changes',
      value: {
        machine: undefined,
        upsertedRemotes: [{ ...told, state: Remote_State.CONNECTED, reason: '', attempts: 0, nextRetry: undefined }],
        removedRemotes: ['third'],
      },
    });
    cancel();
    await stream.next();
    expect(source.listeners).toBe(0);
  });

  it('has a package tried again, and says where there is none of that name', () => {
    const source = fakeSource();
    const { call } = cancellableCall();
    expect(statusService(source).retryPackage?.({ name: 'parts' }, call)).toEqual({});
    expect(source.retried).toEqual(['parts']);
    expect(() => statusService(source).retryPackage?.({ name: 'nuts' }, call)).toThrow('There is no package nuts.');
  });

  it('tells of packages, with what is on its way', async () => {
    const source = fakeSource();
    const { stream } = watch(source);
    const first = (await stream.next()).value as WatchResponse;
    const told = {
      name: 'parts',
      package: 'org-1/parts',
      version: '1.0.0',
      wantedVersion: 'latest',
      state: Package_State.READY,
      update: { version: '1.0.1', step: ModuleUpdate_Step.DOWNLOADING, doneBytes: 5n, totalBytes: 9n },
    };
    expect(first.event?.value).toMatchObject({ packages: [told] });
    source.emitPackages({ upserted: [packageStatus], removed: ['gone'] });
    const { value } = (await stream.next()) as { value: WatchResponse };
    expect(value.event?.value).toMatchObject({ upsertedPackages: [told], removedPackages: ['gone'] });
  });

  it('begins with a snapshot, then sends changes with their reasons', async () => {
    const source = fakeSource();
    const { stream, cancel } = watch(source);
    expect((await next(stream)).event).toMatchObject({
      $case: 'snapshot',
      value: {
        machine: { name: 'bench', state: Machine_State.RUNNING, errors: 1 },
        resources: [{ state: Resource_State.READY }],
      },
    });
    const state = { kind: 'failed', reason: 'cable out', attempts: 3, nextRetryAt: 9_000 } as const;
    source.emit({ upserted: [resource('left', state)], removed: ['core:component:motor/old'] });
    expect((await next(stream)).event).toMatchObject({
      $case: 'changes',
      value: {
        machine: undefined,
        upserted: [{ state: Resource_State.FAILED, reason: 'cable out', attempts: 3, nextRetry: new Date(9_000) }],
        removed: ['core:component:motor/old'],
      },
    });
    source.emit(undefined);
    expect((await next(stream)).event).toMatchObject({
      $case: 'changes',
      value: { machine: { name: 'bench' }, upserted: [], removed: [] },
    });
    cancel();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(source.listeners).toBe(0);
  });

  it('gives a reader that fell behind a new snapshot, and no gap', async () => {
    const source = fakeSource();
    const { stream, cancel } = watch(source);
    await next(stream);
    for (let index = 0; index < 500; index++) {
      source.emit({ upserted: [resource(`m${index}`, { kind: 'ready' })], removed: [] });
    }
    const known = new Set<string>();
    let snapshots = 0;
    while (!known.has('core:component:motor/m499')) {
      const { event } = await next(stream);
      if (event?.$case === 'snapshot') {
        snapshots += 1;
        known.clear();
        for (const { name } of event.value.resources) known.add(name);
      } else {
        for (const { name } of event?.value.upserted ?? []) known.add(name);
      }
    }
    expect(snapshots).toBe(1);
    expect(known.size).toBe(501);
    cancel();
    await stream.next();
  });

  it('tells of modules: whole entries, what is on its way, and those that are gone', async () => {
    const source = fakeSource();
    const { stream, cancel } = watch(source);
    expect((await next(stream)).event).toMatchObject({ $case: 'snapshot', value: { modules: [] } });
    source.emitModules({ upserted: [crashed], removed: ['old'] });
    expect((await next(stream)).event).toEqual({
      $case: 'changes',
      value: {
        machine: undefined,
        upserted: [],
        removed: [],
        upsertedModules: [
          {
            name: 'acme_motors',
            moduleId: 'acme:motors',
            version: '1.2.3',
            state: Module_State.FAILED,
            reason: 'ended: exit code 1 after 3.2 s',
            since: new Date(5_000),
            attempts: 2,
            nextRetry: new Date(9_000),
            pid: 0,
            models: ['acme:motors:left'],
            notes: 'mine',
            restarts: 2,
            lastExit: 'exit code 1 after 3.2 s',
            cpu: 0.25,
            memoryBytes: 1_000n,
            wantedVersion: '1.*',
            isFromRegistry: true,
            update: {
              version: '1.3.0',
              step: ModuleUpdate_Step.DOWNLOADING,
              doneBytes: 10n,
              totalBytes: 20n,
              reason: '',
            },
            restartHint: 'why not',
            isolation: 'none',
          },
        ],
        removedModules: ['old'],
        upsertedPackages: [],
        removedPackages: [],
        upsertedRemotes: [],
        removedRemotes: [],
      },
    });
    const second = watch(source);
    expect((await next(second.stream)).event).toMatchObject({ value: { modules: [{ name: 'acme_motors' }] } });
    cancel();
    second.cancel();
    await Promise.all([stream.next(), second.stream.next()]);
    expect(source.listeners).toBe(0);
  });
});
