import type { Plan, ResourceChange, SettingChange } from '../config/plan/plan.ts';
import { summarize } from '../config/plan/plan-summary.ts';

/** Machine-wide settings that interrupt nothing: what is logged, and what the hub tells people of. */
const NON_DISRUPTIVE_SETTINGS: ReadonlySet<string> = new Set(['log', 'debug', 'disable_log_deduplication', 'triggers']);
/** The same of a resource's entry. */
const NON_DISRUPTIVE_FIELDS: ReadonlySet<string> = new Set(['log_configuration', 'notes']);

/**
 * What of a plan waits for the maintenance window: all but levels of logs,
 * triggers and notes. Adding something waits too, as does a change in place: both are
 * updates of a machine that is not to be updated now. Undefined where nothing waits.
 */
export function deferredPart(plan: Plan): Plan | undefined {
  const resources = plan.resources.filter(isDeferred);
  const modules = plan.modules.filter(({ kind }) => kind !== 'change');
  const settings = plan.settings.filter(({ key }: SettingChange) => !NON_DISRUPTIVE_SETTINGS.has(key));
  if (resources.length + modules.length + settings.length === 0) return undefined;
  return { ...plan, resources, modules, settings, summary: summarize(resources, modules, settings) };
}

function isDeferred(change: ResourceChange): boolean {
  return change.kind !== 'change' || !change.fields.every((field) => NON_DISRUPTIVE_FIELDS.has(field));
}
