import { canonicalApi, fullName } from '../../proto/config/names.ts';
import type { JsonObject } from '../apis/resource.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { checkAttributes } from './check-attributes.ts';
import type { Model, ModelContext } from './model.ts';

/** What an instance under test is built with; what is not given is empty, silent or real. */
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
 * Builds an instance without a machine, for the tests of a model. Its attributes are checked as a machine has them
 * checked.
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
      // The stand-in of a test is what the test says it is.
      if (found !== undefined) return found as never;
      const there = Object.keys(dependencies).join(', ') || 'none';
      throw new ArmatureError('resource.not_found', `"${name}" was not given ${api}/${wanted}; it was given ${there}.`);
    },
    optionalDependency: (api, wanted) => find(api, wanted) as undefined,
  };
  return model.build(context);
}
