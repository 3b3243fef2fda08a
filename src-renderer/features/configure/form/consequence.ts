import type { ConfigPlan } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';

/** What applying does to a resource, in a few words; '' if it is not known or not worth a note. */
export function consequenceOf(
  plan: ConfigPlan | undefined,
  { fullName, name }: { readonly fullName: string; readonly name: string },
  text: Text,
  runs: (fullName: string) => boolean,
): string {
  const planned = plan?.resources.find((one) => one.name === fullName);
  if (planned === undefined) return '';
  if (planned.stopsMotion && runs(fullName)) return text('form.consequence.stops', { name });
  return planned.kind === 'change' ? text('form.consequence.inPlace') : '';
}

/** What applying a machine-wide setting does, by its key in the plan (`network.bind_address`). */
export function settingConsequence(plan: ConfigPlan | undefined, key: string, text: Text): string {
  const planned = plan?.settings.find((one) => one.key === key);
  if (planned === undefined) return '';
  return planned.needsRestart ? text('form.consequence.restart') : text('form.consequence.inPlace');
}
