import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dashboardOf, noteTile } from '../../../proto/config/dashboards/dashboard.fixture.ts';
import type { WatchResponse } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { silentLogger } from '../../base/logger.ts';
import type { ServerCall } from '../../rpc/call.ts';
import { KeptDashboards } from '../dashboards/kept-dashboards.ts';
import { dashboardService, type PartDashboards } from './dashboard-service.ts';
import { cancellableCall, next } from './streaming-call.fixture.ts';

let folder: string;

beforeEach(async () => void (folder = await mkdtemp(path.join(os.tmpdir(), 'armature-dashboards-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

function serve() {
  const service = dashboardService(new KeptDashboards(path.join(folder, 'dashboards.json'), silentLogger), undefined);
  const { call, cancel } = cancellableCall();
  return {
    call,
    cancel,
    watch: (by: ServerCall = call) =>
      (service.watch?.({ partId: '' }, by) as AsyncIterable<WatchResponse>)[Symbol.asyncIterator](),
    put: async (name: string, text: string, baseRevision = '') =>
      (
        await service.put?.(
          { partId: '', dashboard: dashboardOf(name, name, [noteTile('note', text)]), baseRevision },
          call,
        )
      )?.dashboard,
    remove: async (id: string, baseRevision: string) => service.delete?.({ partId: '', id, baseRevision }, call),
  };
}

describe('dashboards of a machine without a hub', () => {
  it('are watched: all at once, then again after each change', async () => {
    const { watch, put, remove, cancel } = serve();
    const watching = watch();
    expect(await next(watching)).toEqual({ dashboards: [], readOnly: false });
    const stored = await put('bench', 'one');
    expect((await next(watching)).dashboards).toEqual([stored]);
    const changed = await put('bench', 'two', stored?.revision);
    expect((await next(watching)).dashboards).toEqual([changed]);
    await remove('bench', changed?.revision ?? '');
    expect((await next(watching)).dashboards).toEqual([]);
    cancel();
    expect((await watching.next()).done).toBe(true);
  });

  it('a change that does not know the latest one is a conflict, and changes nothing', async () => {
    const { watch, put, remove } = serve();
    const stored = await put('bench', 'one');
    const changed = await put('bench', 'theirs', stored?.revision);
    await expect(put('bench', 'mine', stored?.revision)).rejects.toMatchObject({ code: 'dashboard.conflict' });
    await expect(remove('bench', stored?.revision ?? '')).rejects.toMatchObject({ code: 'dashboard.conflict' });
    expect((await next(watch())).dashboards).toEqual([changed]);
  });

  it('are there after a restart', async () => {
    const stored = await serve().put('bench', 'one');
    expect((await next(serve().watch())).dashboards).toEqual([stored]);
  });

  it('say to whom they are read-only', async () => {
    const { call, watch } = serve();
    const by = (role: 'owner' | 'operator'): ServerCall => ({ ...call, principal: { ...call.principal, role } });
    expect((await next(watch(by('operator')))).readOnly).toBe(false);
    expect((await next(watch(by('owner')))).readOnly).toBe(false);
  });
});

it('with a hub, the hub keeps them', async () => {
  const asked: string[] = [];
  const hub: PartDashboards = {
    async *watch() {
      yield { dashboards: [dashboardOf('a', 'Bench')], readOnly: true };
    },
    put: async ({ dashboard }) => ({ dashboard: asked.push(`put ${dashboard?.name}`) > 0 ? dashboard : undefined }),
    delete: async ({ id }) => (asked.push(`delete ${id}`), {}),
  };
  const service = dashboardService(new KeptDashboards(path.join(folder, 'dashboards.json'), silentLogger), hub);
  const { call } = cancellableCall();
  const watching = (service.watch?.({ partId: '' }, call) as AsyncIterable<WatchResponse>)[Symbol.asyncIterator]();
  // The hub answers the machine, which may do more or less than this caller.
  expect(await next(watching)).toMatchObject({ dashboards: [{ name: 'Bench' }], readOnly: false });
  await service.put?.({ partId: '', dashboard: dashboardOf('a', 'Bench'), baseRevision: '' }, call);
  await service.delete?.({ partId: '', id: 'a', baseRevision: '' }, call);
  expect(asked).toEqual(['put Bench', 'delete a']);
});
