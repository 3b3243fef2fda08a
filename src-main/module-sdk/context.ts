import type { JsonObject } from '../apis/resource.ts';
import { canonicalApi, parseFullName } from '../../proto/config/names.ts';
import { findApi } from '../apis/all.ts';
import type { Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import type { BuiltinApi, BuiltinResources, Dependency } from './builtin-resources.ts';
import type { Model, ModelContext } from './model.ts';
import type { ModuleLogger } from './server/module-logger.ts';
import { parentCodes } from './server/parent.ts';
import type { StartCall } from '../rpc/peer/outbound-call.ts';

/** What all contexts of a module share. */
export interface ContextOptions {
  readonly logger: ModuleLogger;
  readonly clock: Clock;
  /** Calls to the machine. */
  readonly start: StartCall;
}

/** The context of one instance. @param signal aborts when the instance is closed */
export function makeContext(options: ContextOptions, config: InstanceConfig, signal: AbortSignal): ModelContext {
  const { api, name, attributes } = config;
  const given = new Set(config.dependencies);
  const find = <K extends BuiltinApi>(wanted: K, written: string): Dependency<BuiltinResources[K]> | undefined => {
    const full = written.includes('/') ? parseFullName(written) : undefined;
    const found = full ?? { api: canonicalApi(wanted) ?? wanted, name: written };
    if (found.api !== wanted || !given.has(`${found.api}/${found.name}`)) return undefined;
    const { clock, start } = options;
    const endpoint = { name: found.name, start, codes: parentCodes, clock, closed: signal };
    return findApi(wanted)?.client(endpoint) as BuiltinResources[K] | undefined;
  };
  return {
    name,
    attributes,
    logger: options.logger.named(`${api.replaceAll(':', '.')}.${name}`),
    clock: options.clock,
    signal,
    dependency(wanted, written) {
      const found = find(wanted, written);
      if (found !== undefined) return found;
      const there = given.size === 0 ? 'none' : [...given].join(', ');
      throw new ArmatureError(
        'resource.not_found',
        `"${name}" was not given ${wanted}/${written}; it was given ${there}. Name it in the dependencies of the model.`,
      );
    },
    optionalDependency: find,
  };
}

/** The configuration of an instance. */
export interface InstanceConfig {
  readonly api: string;
  readonly name: string;
  readonly model: Model;
  readonly attributes: JsonObject;
  /** Full names of the resources that are ready for it, in our spelling. */
  readonly dependencies: readonly string[];
}
