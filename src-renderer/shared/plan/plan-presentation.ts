import { renameWords } from '../../../proto/config/changes/change-words.ts';
import {
  shortName,
  type ConfigPlan,
  type PlanChangeKind,
  type PlannedModule,
  type PlannedResource,
} from '../machine/machine-view.ts';
import type { Text } from '../text.ts';

/** One line of the plan as it is shown. */
export interface PlanRow {
  readonly key: string;
  readonly name: string;
  readonly reason: string;
  /** Whether something that may be moving stops. */
  readonly stops: boolean;
  /** Number of keys that differ; at least 1. */
  readonly changes: number;
}

export type PlanGroupKind = 'rename' | PlanChangeKind | 'module' | 'setting';

export interface PlanGroup {
  readonly kind: PlanGroupKind;
  readonly title: string;
  /** The effect on what runs now. */
  readonly meaning: string;
  readonly rows: readonly PlanRow[];
}

export interface PlanPresentation {
  /** `2 changes to left`, `1 added, 1 removed`. */
  readonly headline: string;
  /** Details beyond the headline: `max_rpm 100 to 120`, or each resource with its change. */
  readonly summary: string;
  readonly groups: readonly PlanGroup[];
  /** Short names of what may stop moving. */
  readonly stopping: readonly string[];
  /** `nothing stops`, `left stops`. */
  readonly stopsLine: string;
  readonly isEmpty: boolean;
}

const resourceKinds: readonly PlanChangeKind[] = ['add', 'change', 'rebuild', 'remove'];

/** A plan with each renamed resource in one piece, instead of as one that is removed and one that is added. */
export interface PlanByName {
  readonly renamed: readonly PlannedResource[];
  readonly others: readonly PlannedResource[];
}

/** Takes the renamed resources out of a plan. One of them stops what its old name moves. */
export function renamesApart(resources: readonly PlannedResource[]): PlanByName {
  const gone = new Map(resources.flatMap((one) => (one.kind === 'remove' ? [[one.name, one] as const] : [])));
  const renamed = resources.flatMap((one) => {
    const old = gone.get(one.renamedFrom);
    return old === undefined ? [] : [{ now: one, old }];
  });
  const pieces = new Set(renamed.flatMap(({ now, old }) => [now, old]));
  return {
    renamed: renamed.map(({ now, old }) => ({ ...now, stopsMotion: old.stopsMotion })),
    others: resources.filter((one) => !pieces.has(one)),
  };
}

/**
 * A plan in words, in the order in which people ask: what is added, changed, removed, restarted.
 * @param runs whether a resource (full name) runs now; one that does not run is not said to stop
 */
export function presentPlan(plan: ConfigPlan, text: Text, runs: (fullName: string) => boolean): PlanPresentation {
  const stops = ({ name, stopsMotion }: PlannedResource): boolean => stopsMotion && runs(name);
  const groups: PlanGroup[] = [];
  const { renamed, others: otherResources } = renamesApart(plan.resources);
  if (renamed.length > 0) {
    const rows = renamed.map((change) => ({
      key: change.name,
      name: renameWords({ from: change.renamedFrom, to: change.name }),
      reason: change.reason,
      stops: change.stopsMotion && runs(change.renamedFrom),
      changes: 1,
    }));
    groups.push({ kind: 'rename', title: text('plan.rename.title'), meaning: text('plan.rename.meaning'), rows });
  }
  for (const kind of resourceKinds) {
    const rows = otherResources
      .filter((change) => change.kind === kind)
      .map((change) => ({
        key: change.name,
        name: shortName(change.name),
        reason: change.reason,
        stops: stops(change),
        changes: Math.max(change.fields.length, 1),
      }));
    if (rows.length === 0) continue;
    groups.push({ kind, title: text(`plan.${kind}.title`), meaning: text(`plan.${kind}.meaning`), rows });
  }
  if (plan.modules.length > 0) {
    groups.push({
      kind: 'module',
      title: text('plan.module.title'),
      meaning: text('plan.module.meaning'),
      rows: plan.modules.map((change) => moduleRow(change, text)),
    });
  }
  if (plan.settings.length > 0) {
    groups.push({
      kind: 'setting',
      title: text('plan.setting.title'),
      meaning: text('plan.setting.meaning'),
      rows: plan.settings.map(({ key, reason: words, needsRestart }) => {
        // The name of the setting stands beside it.
        const reason = words.startsWith(`${key}: `) ? words.slice(key.length + 2) : words;
        return {
          key,
          name: key,
          reason: needsRestart ? text('plan.setting.needsRestart', { reason }) : reason,
          stops: false,
          changes: 1,
        };
      }),
    });
  }
  const stopping = plan.resources.filter(stops).map((change) => shortName(change.name));
  const headline = headlineOf(groups, text);
  const [only, ...others] = groups.flatMap((group) => group.rows);
  function summaryOf(): string {
    // The headline already names it, and says all of one that is new.
    if (only !== undefined && others.length === 0) return groups[0]?.kind === 'add' ? '' : only.reason;
    return plan.summary === headline ? rowsInOneLine(groups) : plan.summary;
  }
  return {
    headline,
    summary: summaryOf(),
    groups,
    stopping,
    stopsLine: stopping.length === 0 ? text('plan.nothingStops') : stopsLineOf(stopping, text),
    isEmpty: groups.length === 0,
  };
}

function moduleRow(change: PlannedModule, text: Text): PlanRow {
  const what = text(`plan.module.${change.kind}`);
  return {
    key: change.name,
    name: change.name,
    reason: change.reason === '' ? what : `${what}: ${change.reason}`,
    stops: false,
    changes: 1,
  };
}

function stopsLineOf(names: readonly string[], text: Text): string {
  const [first = ''] = names;
  return names.length === 1
    ? text('plan.oneStops', { name: first })
    : text('plan.manyStop', { count: names.length, names: names.slice(0, 3).join(', ') });
}

/** Rows in the one-line summary; the plan itself shows all of them. */
const MAX_SUMMARY_ROWS = 3;

function rowsInOneLine(groups: readonly PlanGroup[]): string {
  const rows = groups.flatMap((group) => group.rows).map(({ name, reason }) => `${name}: ${reason}`);
  const rest = rows.length - MAX_SUMMARY_ROWS;
  return [...rows.slice(0, MAX_SUMMARY_ROWS), ...(rest > 0 ? [`+${rest}`] : [])].join(' · ');
}

function headlineOf(groups: readonly PlanGroup[], text: Text): string {
  const rows = groups.flatMap((group) => group.rows);
  const [only] = rows;
  const [group] = groups;
  if (rows.length === 1 && only !== undefined && group !== undefined) {
    return text(`plan.${group.kind}.one`, { name: only.name, count: only.changes });
  }
  if (groups.length === 0) return text('plan.onlyText');
  return groups.map((each) => text(`plan.${each.kind}.count`, { count: each.rows.length })).join(', ');
}
