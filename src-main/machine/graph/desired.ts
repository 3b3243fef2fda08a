import { reasonOf } from './deadline.ts';
import { noDependencies, type CatalogEntry, type Dependencies } from '../models/model.ts';
import type { Obstacle } from './node.ts';
import type { ResourceConfig } from '../config/machine-config.ts';

/**
 * Where models come from. What it answers may change as modules come and go:
 * `ResourceGraph.catalogChanged` makes the graph ask again.
 */
export interface ModelSource {
  find(api: string, model: string): CatalogEntry | undefined;
}

/** What a configuration says about a resource, before anything else is looked at. */
export interface Desire {
  readonly entry: CatalogEntry | undefined;
  readonly obstacle: Obstacle | undefined;
  readonly dependencies: Dependencies;
}

/** Models that only the program itself can have; every other may come from a module. */
const BUILTIN_MODEL = /^core:builtin:/;

/** Reads a resource's configuration: its model, what it needs, and what is wrong with it. Never throws. */
export function readDesire(config: ResourceConfig, models: ModelSource): Desire {
  const entry = models.find(config.api, config.model);
  const explicit: Dependencies = { required: [...new Set(config.dependsOn)], optional: [] };
  if (config.isDisabled) return { entry, obstacle: { kind: 'disabled' }, dependencies: explicit };
  const invalid = reasonOfProblems(config);
  if (invalid !== undefined) return { entry, obstacle: { kind: 'failed', reason: invalid }, dependencies: explicit };
  if (entry === undefined) return { entry, obstacle: withoutModel(config), dependencies: explicit };
  try {
    const implicit = entry.dependencies?.(config.attributes) ?? noDependencies;
    const required = [...new Set([...config.dependsOn, ...implicit.required])];
    return { entry, obstacle: undefined, dependencies: { required, optional: [...new Set(implicit.optional)] } };
  } catch (thrown) {
    const reason = `its model ${config.model} could not tell what it depends on: ${reasonOf(thrown)}`;
    return { entry, obstacle: { kind: 'failed', reason }, dependencies: explicit };
  }
}

function reasonOfProblems({ problems }: ResourceConfig): string | undefined {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return undefined;
  const others = errors.length - 1;
  if (others === 0) return first.message;
  return `${first.message} (and ${others} more ${others === 1 ? 'problem' : 'problems'})`;
}

function withoutModel({ api, model }: ResourceConfig): Obstacle {
  if (BUILTIN_MODEL.test(model)) {
    return { kind: 'failed', reason: `there is no built-in model ${model} of ${api}; see the list of models` };
  }
  return { kind: 'no-model', reason: `waiting for a module that provides model ${model} of ${api}` };
}
