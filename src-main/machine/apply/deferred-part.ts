import type { Plan, ResourceChange, SettingChange } from '../config/plan/plan.ts';
import { summarize } from '../config/plan/plan-summary.ts';

/** Machine-wide settings whose change interrupts nothing: logs, and triggers of the hub. */
const NON_DISRUPTIVE_SETTINGS: ReadonlySet<string> = new Set(['log', 'debug', 'disable_log_deduplication', 'triggers']);
/** Fields of a resource's entry whose change interrupts nothing. */
const NON_DISRUPTIVE_FIELDS: ReadonlySet<string> = new Set(['log_configuration', 'notes']);

/**
 * The part of a plan that waits for the maintenance window: everything except log levels, triggers and notes. Additions
 * and changes in place also wait, because they are updates too. Undefined if nothing waits.
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
