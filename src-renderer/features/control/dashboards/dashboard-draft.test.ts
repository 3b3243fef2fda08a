import { createPinia } from 'pinia';
import { createApp } from 'vue';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dashboardOf, noteTile } from '../../../../proto/config/dashboards/dashboard.fixture.ts';
import type { Dashboard, WatchResponse } from '../../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { machineKey, type Machine } from '../../../shared/machine/machine.ts';
import type { ConnectionView } from '../../../shared/machine/machine-view.ts';
import { useDashboardDraft } from './dashboard-draft.ts';
import { useDashboards } from './dashboards.ts';

const stored: Dashboard = { ...dashboardOf('a', 'Bench', [noteTile('one', 'One')]), revision: 'r1' };
const more = [...stored.tiles, noteTile('two', 'Two')];

async function bench(first: WatchResponse = { dashboards: [stored], readOnly: false }) {
  let tell: (next: WatchResponse) => void = () => undefined;
  const put = vi.fn((dashboard: Dashboard) => Promise.resolve({ ...dashboard, revision: 'r2' }));
  const machine = {
    connection: {
      subscribe: (onChange: (view: ConnectionView) => void) => {
        onChange({ kind: 'connected', reason: '', nextTryAt: 0 });
        return () => undefined;
      },
    },
    dashboards: {
      async *watch() {
        yield first;
        for (;;) yield await new Promise<WatchResponse>((resolve) => (tell = resolve));
      },
      put,
      delete: () => Promise.resolve(),
    },
  };
  const app = createApp({});
  app.provide(machineKey, machine as unknown as Machine);
  app.use(createPinia());
  const [dashboards, draft] = app.runWithContext(() => [useDashboards(), useDashboardDraft()] as const);
  await vi.waitFor(() => expect(dashboards.isKnown).toBe(true));
  return { dashboards, draft, put, tell: (next: Dashboard[]) => tell({ dashboards: next, readOnly: false }) };
}

beforeEach(() => void vi.stubGlobal('window', new EventTarget()));
afterEach(() => vi.unstubAllGlobals());

function asksOnLeaving(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

describe('the dashboard that is edited', () => {
  it('is changed where it differs from what is stored, and only then leaving asks', async () => {
    const { draft } = await bench();
    draft.begin(stored);
    expect([draft.isChanged, asksOnLeaving()]).toEqual([false, false]);
    draft.change(more);
    expect([draft.isChanged, asksOnLeaving()]).toEqual([true, true]);
    draft.change(stored.tiles);
    expect([draft.isChanged, asksOnLeaving()]).toEqual([false, false]);
  });

  it('is saved with the revision that was edited, and shown at once', async () => {
    const { dashboards, draft, put } = await bench();
    draft.begin(stored);
    draft.change(more);
    await draft.save();
    expect(put.mock.calls).toEqual([[{ ...stored, tiles: more }, 'r1']]);
    expect([draft.now, dashboards.byId('a')?.tiles.length]).toEqual([undefined, 2]);
  });

  it('is kept where it cannot be saved', async () => {
    const { draft, put } = await bench();
    draft.begin(stored);
    draft.change(more);
    put.mockRejectedValueOnce(new Error('no room'));
    await expect(draft.save()).rejects.toThrow('no room');
    expect(draft.now?.tiles).toHaveLength(2);
  });

  it('has no conflict with its own content, which the machine may report before it answers', async () => {
    const { dashboards, draft, tell } = await bench();
    draft.begin(stored);
    draft.change(more);
    tell([{ ...stored, tiles: more, revision: 'r2' }]);
    await vi.waitFor(() => expect(dashboards.byId('a')?.revision).toBe('r2'));
    expect(draft.conflict).toBeUndefined();
  });

  it('has a conflict where another window changed or deleted it: it is loaded again, or saved as a copy', async () => {
    const { draft, put, tell } = await bench();
    draft.begin(stored);
    draft.change(more);
    const theirs = { ...stored, tiles: [], revision: 'r9' };
    tell([theirs]);
    await vi.waitFor(() => expect(draft.conflict).toBe('changed'));
    const copy = await draft.saveCopy('Bench copy');
    expect(put.mock.calls[0]).toEqual([{ ...stored, tiles: more, id: copy, name: 'Bench copy' }, '']);
    draft.begin(stored);
    draft.reload();
    expect([draft.conflict, draft.now]).toEqual([undefined, theirs]);
    tell([]);
    await vi.waitFor(() => expect(draft.conflict).toBe('deleted'));
  });
});

it('dashboards of others cannot be edited', async () => {
  expect((await bench()).dashboards.mayEdit).toBe(true);
  expect((await bench({ dashboards: [stored], readOnly: true })).dashboards.mayEdit).toBe(false);
});
