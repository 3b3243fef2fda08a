import { shortName, type ConfigPlan, type Problem } from '../../../shared/machine/machine-view.ts';
import type { Text } from '../../../shared/text.ts';
import type { DocumentEntry, DocumentModel } from '../document/document-model.ts';
import type { DependencyGraph } from '../picture/dependency-graph.ts';

/** Problems whose resource is not built as long as they last, errors aside. */
const keepFromReady: ReadonlySet<string> = new Set([
  'attribute.no_interrupt',
  'dependency.missing',
  'dependency.wrong_api',
  'dependency.ambiguous',
  'dependency.disabled',
  'config.no_module',
  'config.module_disabled',
]);

/**
 * Names of the resources that will not be ready once the draft is applied, as far as its problems tell: those that have
 * such a problem first, then those that need them. `neededBy` holds full names.
 */
export function notReady(
  entries: readonly DocumentEntry[],
  problems: readonly Problem[],
  neededBy: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const pointers = problems
    .filter(({ severity, code }) => severity === 'error' || keepFromReady.has(code))
    .map(({ pointer }) => `${pointer}/`);
  const enabled = entries.filter(({ section, value }) => section !== 'modules' && value['disabled'] !== true);
  const names = new Map(enabled.map(({ fullName, name }) => [fullName, name]));
  const found = new Set(
    enabled
      .filter((entry) => pointers.some((pointer) => pointer.startsWith(`${entry.pointer}/`)))
      .map(({ fullName }) => fullName),
  );
  // A set is walked with what is added on the way.
  for (const fullName of found) {
    for (const user of neededBy.get(fullName) ?? []) if (names.has(user)) found.add(user);
  }
  return [...found].map((fullName) => names.get(fullName) ?? fullName);
}

/** More are counted. */
const mostNamed = 3;

/** Which of what a plan touches will not be ready, in a few words; '' where nothing is known to stay behind. */
export function notReadyWords(
  plan: ConfigPlan | undefined,
  { model, problems }: { readonly model: DocumentModel; readonly problems: readonly Problem[] },
  { neededBy }: DependencyGraph,
  text: Text,
): string {
  const planned = new Set(plan?.resources.map(({ name }) => shortName(name)));
  const names = notReady(model.entries, problems, neededBy).filter((name) => planned.has(name));
  if (names.length === 0) return '';
  const rest = names.length - mostNamed;
  return text('plan.notReady', { names: [...names.slice(0, mostNamed), ...(rest > 0 ? [`+${rest}`] : [])].join(', ') });
}
