import type { Problem } from './problem.ts';

/** Codes of warnings that keep their resource from being built. */
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
 * Full names of the resources that will not be ready once a configuration is applied, judged by its problems: first
 * those with such a problem, then those that need them. Disabled resources are left out.
 * `neededBy` maps a full name to those of the resources that need it.
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
  // The loop also visits the names that it adds to the set.
  for (const fullName of found) {
    for (const user of neededBy.get(fullName) ?? []) if (names.has(user)) found.add(user);
  }
  return [...found];
}
