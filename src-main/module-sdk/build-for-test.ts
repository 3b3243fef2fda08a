import { canonicalApi, fullName } from '../../proto/config/names.ts';
import type { JsonObject } from '../apis/resource.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { checkAttributes } from './check-attributes.ts';
import type { Model, ModelContext } from './model.ts';

/** What an instance under test is built with. What is left out is empty, silent or real. */
export interface TestBuild {
  readonly name?: string;
  readonly attributes?: JsonObject;
  /** Stand-ins for other resources of the machine, by full name: `core:component:board/main`. */
  readonly dependencies?: Readonly<Record<string, object>>;
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Builds an instance without a machine, to test a model. The attributes are checked as a machine checks them.
 * @throws {ArmatureError} `config.invalid` for wrong attributes; whatever the build throws
 */
export async function buildForTest<I extends object>(model: Model<I>, given: TestBuild = {}): Promise<I> {
  const { name = 'test', attributes = {}, dependencies = {}, logger = silentLogger, clock = systemClock } = given;
  await checkAttributes(model, attributes);
  const find = (api: string, wanted: string): object | undefined =>
    dependencies[wanted.includes('/') ? wanted : fullName(canonicalApi(api) ?? api, wanted)];
  const context: ModelContext = {
    name,
    attributes,
    logger,
    clock,
    signal: given.signal ?? new AbortController().signal,
    dependency: (api, wanted) => {
      const found = find(api, wanted);
      // The test itself decides the type of its stand-in.
      if (found !== undefined) return found as never;
      const there = Object.keys(dependencies).join(', ') || 'none';
      throw new ArmatureError('resource.not_found', `"${name}" was not given ${api}/${wanted}; it was given ${there}.`);
    },
    optionalDependency: (api, wanted) => find(api, wanted) as undefined,
  };
  return model.build(context);
}
