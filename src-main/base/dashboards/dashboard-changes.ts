import { dashboardProblem, sizeProblem } from '../../../proto/config/dashboards/check-dashboard.ts';
import { dashboardJson } from '../../../proto/config/dashboards/dashboard-json.ts';
import { isSameName, MAX_DASHBOARDS } from '../../../proto/config/dashboards/dashboard-limits.ts';
import type { Dashboard, DeleteRequest, PutRequest } from '../../../proto/gen/core/dashboard/v1/dashboard.ts';
import { ArmatureError } from '../errors.ts';
import { revisionOf } from '../revision.ts';

/**
 * The rules for changes of a part's dashboards. The hub and a machine without a hub keep them in different places, and
 * both ask here what may be stored.
 */

/** A dashboard with the revision of its content: two with the same content have the same one. */
export function withRevision(dashboard: Dashboard): Dashboard {
  return { ...dashboard, revision: revisionOf(JSON.stringify(dashboardJson(dashboard))) };
}

/**
 * Checks a new or changed dashboard.
 * @param kept all dashboards that the part has now
 * @returns the dashboard as it is to be stored
 * @throws {ArmatureError} `call.bad_argument`, `call.too_large`, `dashboard.conflict`, `dashboard.name_taken`,
 *   `quota.exceeded`
 */
export function checkPut(
  kept: readonly Dashboard[],
  { dashboard: asked, baseRevision }: Pick<PutRequest, 'dashboard' | 'baseRevision'>,
): Dashboard {
  if (asked === undefined) throw new ArmatureError('call.bad_argument', 'The request has no dashboard: send one.');
  const dashboard = withRevision({ ...asked, name: asked.name.trim() });
  const { id, name, revision } = dashboard;
  const problem = dashboardProblem(dashboard);
  if (problem !== '') throw new ArmatureError('call.bad_argument', problem, { details: { id } });
  const size = sizeProblem(dashboard);
  if (size !== '') throw new ArmatureError('call.too_large', size, { details: { id } });
  const before = kept.find((one) => one.id === id);
  // Sent again, because the first answer was lost.
  if (before?.revision === revision) return before;
  if ((before?.revision ?? '') !== baseRevision) throw conflict(before, name, id);
  const other = kept.find((one) => one.id !== id && isSameName(one.name, name));
  if (other !== undefined) {
    throw new ArmatureError(
      'dashboard.name_taken',
      `This machine has a dashboard "${other.name}" already. Choose another name.`,
      { details: { name, id: other.id } },
    );
  }
  if (before === undefined && kept.length >= MAX_DASHBOARDS) {
    throw new ArmatureError(
      'quota.exceeded',
      `This machine has ${kept.length} dashboards, and at most ${MAX_DASHBOARDS} are kept. Delete one that nobody needs, then add "${name}" again.`,
      { details: { limit: MAX_DASHBOARDS } },
    );
  }
  return dashboard;
}

/**
 * Checks that a dashboard may be deleted.
 * @throws {ArmatureError} `call.not_found`, `dashboard.conflict`
 */
export function checkDelete(
  kept: readonly Dashboard[],
  { id, baseRevision }: Pick<DeleteRequest, 'id' | 'baseRevision'>,
): void {
  const before = kept.find((one) => one.id === id);
  if (before === undefined) {
    throw new ArmatureError(
      'call.not_found',
      `There is no dashboard "${id.slice(0, 60)}" on this machine: it may have been deleted in another window.`,
      { details: { id: id.slice(0, 60) } },
    );
  }
  if (before.revision !== baseRevision) throw conflict(before, before.name, id);
}

function conflict(before: Dashboard | undefined, name: string, id: string): ArmatureError {
  const what =
    before === undefined
      ? `The dashboard "${name}" was deleted in another window. Save yours under a new name to keep it.`
      : `The dashboard "${before.name}" was changed in another window. Load it again, then repeat your change.`;
  return new ArmatureError('dashboard.conflict', what, { details: { id, revision: before?.revision ?? '' } });
}
