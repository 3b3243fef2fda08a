import { notReady } from '../../../../proto/config/not-ready.ts';
import { shortName, type ConfigPlan, type Problem } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';
import { isResource, type DocumentModel } from '../document/document-model.ts';
import type { DependencyGraph } from '../../../shared/picture/dependency-graph.ts';

/** Further names are counted. */
const MAX_NAMED = 3;

/** Names the resources of a plan that will not become ready; '' if none is known. */
export function notReadyWords(
  plan: ConfigPlan | undefined,
  { model, problems }: { readonly model: DocumentModel; readonly problems: readonly Problem[] },
  { neededBy }: DependencyGraph,
  text: Text,
): string {
  const planned = new Set(plan?.resources.map(({ name }) => name));
  const resources = model.entries
    .filter(isResource)
    .map(({ fullName, pointer, value }) => ({ fullName, pointer, isDisabled: value['disabled'] === true }));
  const names = notReady(resources, problems, neededBy)
    .filter((name) => planned.has(name))
    .map(shortName);
  if (names.length === 0) return '';
  const rest = names.length - MAX_NAMED;
  return text('plan.notReady', { names: [...names.slice(0, MAX_NAMED), ...(rest > 0 ? [`+${rest}`] : [])].join(', ') });
}
