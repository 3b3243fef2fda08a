import { findApi } from '../../apis/all.ts';
import { isActuator } from '../../apis/api.ts';
import { ArmatureError } from '../../base/errors.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { isSameDependencies } from '../graph/dependency-index.ts';
import { reasonOf } from '../graph/reason-of.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { BuildContext, BuildRequest, BuiltResource } from '../catalog/model.ts';
import type { OfferedModel } from '../modules/run/running-module.ts';
import { foreignClient } from '../foreign/foreign-client.ts';
import type { DependencyCache } from './dependency-cache.ts';
import { moduleCodes, startOf } from './module-calls.ts';
import type { ModuleProcess } from './module-process.ts';
import type { RemoteEndpoint } from '../../apis/remote-resource.ts';
import type { JsonObject, Resource } from '../../apis/resource.ts';

/** Time limit for a module to name the dependencies of a resource. */
export const VALIDATE_MS = 5_000;
/** Time limit for an actuator to stop before it is removed. */
const STOP_MS = 2_000;

/** How to create instances of one model. */
export interface InstanceOptions {
  readonly process: ModuleProcess;
  readonly offered: OfferedModel;
  readonly answers: DependencyCache;
  /** Time limit for AddResource and ReconfigureResource. */
  readonly timeoutMs: number;
  /** Whether instances can be stopped. Settles when that is known. */
  readonly isStoppable: (signal: AbortSignal) => Promise<boolean>;
}

/** Creates an instance in the process of its module. The process is held until the instance is removed. */
export async function buildInModule(
  options: InstanceOptions,
  context: BuildContext<JsonObject>,
  { config, held }: BuildRequest,
): Promise<BuiltResource> {
  const { process, timeoutMs } = options;
  const release = process.module.hold();
  try {
    const isStoppable = await options.isStoppable(context.signal);
    await process.add(config, held, { timeoutMs, signal: context.signal });
    return instanceOf({ ...options, context, config, held, isStoppable, release });
  } catch (thrown) {
    release();
    throw thrown;
  }
}

interface InstanceContext extends Omit<InstanceOptions, 'isStoppable'>, BuildRequest {
  readonly context: BuildContext<JsonObject>;
  readonly isStoppable: boolean;
  readonly release: () => void;
}

function instanceOf(options: InstanceContext): BuiltResource {
  const { process, context, config, release } = options;
  const own = new AbortController();
  const client = clientOf(options, {
    name: config.name,
    start: startOf(process.module.peer),
    codes: moduleCodes,
    clock: context.clock,
    closed: AbortSignal.any([process.closed, own.signal]),
  });
  const close = async (): Promise<void> => {
    await stopFirst(client, options);
    own.abort(new ArmatureError('resource.not_ready', `${config.fullName} was closed.`));
    try {
      await process.remove(config.fullName);
    } finally {
      release();
    }
  };
  let known = options.answers.find(config);
  const reconfigure = async (_attributes: JsonObject, next?: ResourceConfig): Promise<void> => {
    if (next === undefined) throw new ArmatureError('internal.bug', `${config.fullName} is changed without its entry.`);
    await reconfigureInModule(options, known, next);
    known = options.answers.find(next);
  };
  return Object.assign(client, { forwarder: process.forwarder, close, reconfigure });
}

/** The typed client of its API, so that built-in models can use it; otherwise one that can at least be stopped. */
function clientOf({ offered, isStoppable }: InstanceContext, endpoint: RemoteEndpoint): Resource {
  const known = findApi(offered.api);
  return known === undefined
    ? foreignClient(offered.service, isStoppable, endpoint)
    : (known.client(endpoint) as Resource);
}

/** Never rejects: a resource that cannot be stopped is removed anyway. */
async function stopFirst(client: Resource, { process, context }: InstanceContext): Promise<void> {
  if (!isActuator(client) || process.closed.aborted) return;
  const onTimeout = (): never => {
    throw new Error('no answer in time');
  };
  try {
    await withTimeout(() => client.stop(), { clock: context.clock, ms: STOP_MS, onTimeout });
  } catch (thrown) {
    context.logger.warn(`Stopping ${context.name} before it is removed failed: ${reasonOf(thrown)}.`);
  }
}

async function reconfigureInModule(
  { process, answers, held, timeoutMs }: InstanceContext,
  known: ReturnType<DependencyCache['find']>,
  next: ResourceConfig,
): Promise<void> {
  const { name } = process.module;
  const unimplemented = `its module ${name} has no ReconfigureResource`;
  if (!process.canReconfigure) throw new ArmatureError('call.unimplemented', unimplemented);
  const answer = await process.validate(next, { timeoutMs: VALIDATE_MS });
  answers.remember(next, answer);
  if (known === undefined || !isSameDependencies(answer, known)) {
    const names = [...answer.required, ...answer.optional].join(', ');
    throw new ArmatureError('call.failed_precondition', `it needs ${names === '' ? 'nothing' : names} now`);
  }
  try {
    await process.reconfigure(next, held, { timeoutMs });
  } catch (thrown) {
    if (thrown instanceof ArmatureError && thrown.code === 'call.unimplemented') process.canReconfigure = false;
    throw thrown;
  }
}
