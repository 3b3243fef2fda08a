import { reasonOf } from '../reason-of.ts';
import { noDependencies, type CatalogEntry, type Dependencies } from '../../catalog/model.ts';
import type { DependencyAnswer, Obstacle } from '../node.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';

/**
 * Where models come from. The answers may change as modules start and end: call `ResourceGraph.catalogChanged` to make
 * the graph ask again.
 */
export interface ModelSource {
  find(api: string, model: string): CatalogEntry | undefined;
  /** Why the model of a resource is not available now; undefined where the reason is not known. */
  obstacleTo?(config: ResourceConfig): Obstacle | undefined;
}

/** The installed packages, whose files attributes refer to. */
export interface PackageSource {
  /** Why a package is missing; undefined if it is installed. */
  absenceOf(name: string): { readonly reason: string; readonly isUnderWay: boolean } | undefined;
}

/** What the configuration alone says about a resource, without looking at other resources. */
export interface DesiredState {
  readonly entry: CatalogEntry | undefined;
  readonly obstacle: Obstacle | undefined;
  readonly dependencies: Dependencies;
}

/** Models that only the program itself can have; every other may come from a module. */
const BUILTIN_MODEL = /^core:builtin:/;

/**
 * Reads a resource's configuration: its model, what it needs, and what is wrong with it. Never throws.
 * @param answer the dependencies that its model last named
 */
export function readDesiredState(
  config: ResourceConfig,
  models: ModelSource,
  packages: PackageSource | undefined,
  answer?: DependencyAnswer,
): DesiredState {
  const entry = models.find(config.api, config.model);
  const explicit = allDependencies(config, noDependencies);
  if (config.isDisabled) return { entry, obstacle: { kind: 'disabled' }, dependencies: explicit };
  const invalid = reasonOfProblems(config);
  if (invalid !== undefined) return { entry, obstacle: { kind: 'failed', reason: invalid }, dependencies: explicit };
  if (entry === undefined) return { entry, obstacle: withoutModel(config, models), dependencies: explicit };
  const missing = packages && withoutPackage(config, packages);
  if (missing !== undefined) return { entry, obstacle: missing, dependencies: explicit };
  try {
    const isOfModel = answer?.entry.api === config.api && answer.entry.model === config.model;
    const implicit = isOfModel ? answer.dependencies : entry.dependencies?.(config.attributes, config.fullName);
    return { entry, obstacle: undefined, dependencies: allDependencies(config, implicit ?? noDependencies) };
  } catch (thrown) {
    const reason = `its model ${config.model} could not tell what it depends on: ${reasonOf(thrown)}`;
    return { entry, obstacle: { kind: 'failed', reason }, dependencies: explicit };
  }
}

/** Everything that `depends_on` and the model name, without duplicates. */
export function allDependencies({ dependsOn }: ResourceConfig, { required, optional }: Dependencies): Dependencies {
  return { required: [...new Set([...dependsOn, ...required])], optional: [...new Set(optional)] };
}

function reasonOfProblems({ problems }: ResourceConfig): string | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return undefined;
  const others = errors.length - 1;
  if (others === 0) return first.message;
  return `${first.message} (and ${others} more ${others === 1 ? 'problem' : 'problems'})`;
}

/** The first missing package of the resource. A download may take long, so nothing waits for it to settle. */
function withoutPackage({ packages = [] }: ResourceConfig, source: PackageSource): Obstacle | undefined {
  for (const name of packages) {
    const absence = source.absenceOf(name);
    if (absence === undefined) continue;
    const reason = `waiting for the package ${name}: ${absence.reason}`;
    const { isUnderWay } = absence;
    return { kind: 'no-package', for: `package/${name}`, reason, isTransient: false, isUnderWay };
  }
  return undefined;
}

function withoutModel(config: ResourceConfig, models: ModelSource): Obstacle {
  const { api, model } = config;
  if (BUILTIN_MODEL.test(model)) {
    return { kind: 'failed', reason: `there is no built-in model ${model} of ${api}; see the list of models` };
  }
  const known = models.obstacleTo?.(config);
  if (known !== undefined) return known;
  const reason = `waiting for a module that provides model ${model} of ${api}`;
  return { kind: 'no-model', for: model, reason, isTransient: false, isUnderWay: false };
}
