import { dashboardJson, readDashboardJson } from '../../../proto/config/dashboards/dashboard-json.ts';
import { inOrder } from '../../../proto/config/dashboards/dashboard-order.ts';
import { DashboardServiceDefinition, type Dashboard } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { checkDelete, checkPut } from '../../base/dashboards/dashboard-changes.ts';
import { watchDashboards } from '../../base/dashboards/watch-dashboards.ts';
import { ArmatureError } from '../../base/errors.ts';
import { serve, type Feature } from '../access/feature.ts';
import type { HubHandlers } from '../access/guarded.ts';
import type { LiveParts } from '../presence/live-parts.ts';
import type { Store } from '../storage/store.ts';
import type { Queries } from '../storage/tables.ts';
import './tables.ts';

export interface DashboardsOptions {
  readonly store: Store;
  readonly live: LiveParts;
}

/** `core.dashboard.v1.DashboardService` for every part of the fleet. Dashboards are kept as long as their part. */
export function dashboardsFeature({ store, live }: DashboardsOptions): Feature {
  const part = (id: string) => ({ type: 'part', id }) as const;

  const handlers: HubHandlers<typeof DashboardServiceDefinition> = {
    async *watch({ partId }, caller, { signal }) {
      const place = await caller.require('dashboard.read', part(partId), store.db);
      yield* watchDashboards(
        {
          read: () => dashboardsOf(store.db, partId),
          onChange: (listener) => live.onChange(partId, listener),
          isReadOnly: !caller.may('dashboard.write', place),
        },
        signal,
      );
    },

    async put({ partId, dashboard: asked, baseRevision }, caller) {
      const dashboard = await store.transaction(async (db) => {
        await caller.require('dashboard.write', part(partId), db);
        const checked = checkPut(await dashboardsOf(db, partId), { dashboard: asked, baseRevision });
        const { name, revision } = checked;
        const values = { name, revision, tiles: JSON.stringify(dashboardJson(checked).tiles) };
        await db
          .insertInto('dashboards')
          .values({ part_id: partId, id: checked.id, ...values })
          .onConflict((conflict) => conflict.columns(['part_id', 'id']).doUpdateSet(values))
          .execute();
        return checked;
      });
      live.changed(partId);
      return { dashboard };
    },

    async delete({ partId, id, baseRevision }, caller) {
      await store.transaction(async (db) => {
        await caller.require('dashboard.write', part(partId), db);
        checkDelete(await dashboardsOf(db, partId), { id, baseRevision });
        await db.deleteFrom('dashboards').where('part_id', '=', partId).where('id', '=', id).execute();
      });
      live.changed(partId);
      return {};
    },
  };
  return { services: [serve(DashboardServiceDefinition, handlers)] };
}

/** Throws `store.corrupt` for a row that this program did not write. */
async function dashboardsOf(db: Queries, partId: string): Promise<Dashboard[]> {
  const rows = await db
    .selectFrom('dashboards')
    .select(['id', 'name', 'revision', 'tiles'])
    .where('part_id', '=', partId)
    .execute();
  const dashboards = rows.map(({ id, name, revision, tiles }) => {
    const dashboard = readDashboardJson({ id, name, tiles: JSON.parse(tiles) as unknown });
    if (dashboard !== undefined) return { ...dashboard, revision };
    throw new ArmatureError(
      'store.corrupt',
      `The stored dashboard "${name}" (${id}) of part ${partId} cannot be read.`,
    );
  });
  return inOrder(dashboards);
}
