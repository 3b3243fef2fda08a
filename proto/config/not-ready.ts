import type { Problem } from './problem.ts';

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

/** A component or service of a configuration, and where it stands. */
export interface PlacedResource {
  readonly fullName: string;
  /** JSON pointer of its entry. */
  readonly pointer: string;
  readonly isDisabled: boolean;
}

/**
 * Full names of the resources that will not be ready once a configuration is applied, as far as its problems tell: those
 * that have such a problem first, then those that need them. What is disabled is not meant to be ready and left out.
 * `neededBy` has, for a full name, those of the resources that need it.
 */
export function notReady(
  resources: readonly PlacedResource[],
  problems: readonly Pick<Problem, 'pointer' | 'severity' | 'code'>[],
  neededBy: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const pointers = problems
    .filter(({ severity, code }) => severity === 'error' || keepFromReady.has(code))
    .map(({ pointer }) => `${pointer}/`);
  const enabled = resources.filter(({ isDisabled }) => !isDisabled);
  const names = new Set(enabled.map(({ fullName }) => fullName));
  const found = new Set(
    enabled
      .filter((resource) => pointers.some((pointer) => pointer.startsWith(`${resource.pointer}/`)))
      .map(({ fullName }) => fullName),
  );
  // A set is walked with what is added on the way.
  for (const fullName of found) {
    for (const user of neededBy.get(fullName) ?? []) if (names.has(user)) found.add(user);
  }
  return [...found];
}
