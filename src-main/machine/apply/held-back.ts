import type { Plan, ResourceChange, SettingChange } from '../config/plan/plan.ts';
import { summarize } from '../config/plan/plan-summary.ts';

/** Machine-wide settings that interrupt nothing: what is logged, and what the hub tells people of. */
const HARMLESS_SETTINGS: ReadonlySet<string> = new Set(['log', 'debug', 'disable_log_deduplication', 'triggers']);
/** The same of a resource's entry. */
const HARMLESS_FIELDS: ReadonlySet<string> = new Set(['log_configuration', 'notes']);

/**
 * What of a plan waits for the maintenance window: all but levels of logs,
 * triggers and notes. Adding something waits too, as does a change in place: both are
 * updates of a machine that is not to be updated now. Undefined where nothing waits.
 */
export function heldBackBy(plan: Plan): Plan | undefined {
  const resources = plan.resources.filter(isHeldBack);
  const modules = plan.modules.filter(({ kind }) => kind !== 'change');
  const settings = plan.settings.filter(({ key }: SettingChange) => !HARMLESS_SETTINGS.has(key));
  if (resources.length + modules.length + settings.length === 0) return undefined;
  return { ...plan, resources, modules, settings, summary: summarize(resources, modules, settings) };
}

function isHeldBack(change: ResourceChange): boolean {
  return change.kind !== 'change' || !change.fields.every((field) => HARMLESS_FIELDS.has(field));
}
