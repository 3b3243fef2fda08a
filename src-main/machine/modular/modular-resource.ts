import { findApi } from '../../apis/all.ts';
import { isActuator } from '../../apis/api.ts';
import { GenericServiceDefinition } from '../../../proto/gen/core/component/generic/v1/generic.ts';
import { ArmatureError } from '../../base/errors.ts';
import { withTimeout } from '../../base/async/timeout.ts';
import { isSameDependencies } from '../graph/dependency-index.ts';
import { reasonOf } from '../graph/reason-of.ts';
import type { ResourceConfig } from '../catalog/resource-config.ts';
import type { BuildContext, BuildRequest, BuiltResource } from '../catalog/model.ts';
import type { OfferedModel } from '../modules/run/running-module.ts';
import type { DependencyAnswers } from './dependency-answers.ts';
import { moduleCodes, startOf } from './module-calls.ts';
import type { ModuleProcess } from './module-process.ts';
import { MotorServiceDefinition } from '../../../proto/gen/core/component/motor/v1/motor.ts';
import { addressed, type RemotePlace, RemoteResource } from '../../apis/remote-resource.ts';
import type { Actuator, CallOptions, JsonObject, Resource } from '../../apis/resource.ts';

/** Time a module has to say what a resource needs (wire contract 3.3). */
export const VALIDATE_MS = 5_000;
/** Time something that may move has to stop before it is removed, whatever it says. */
const STOP_MS = 2_000;

/** What instances of one model are made with. */
export interface InstanceMaking {
  readonly process: ModuleProcess;
  readonly offered: OfferedModel;
  readonly answers: DependencyAnswers;
  /** Time that AddResource and ReconfigureResource have. */
  readonly timeoutMs: number;
  /** Whether instances can be stopped; settles when that is known. */
  readonly isStoppable: (signal: AbortSignal) => Promise<boolean>;
}

/** Makes an instance in the process of its module. The process is held until the instance is removed. */
export async function buildInModule(
  making: InstanceMaking,
  context: BuildContext<JsonObject>,
  { config, held }: BuildRequest,
): Promise<BuiltResource> {
  const { process, timeoutMs } = making;
  const letGo = process.module.hold();
  try {
    const isStoppable = await making.isStoppable(context.signal);
    await process.add(config, held, { timeoutMs, signal: context.signal });
    return instanceOf({ ...making, context, config, held, isStoppable, letGo });
  } catch (thrown) {
    letGo();
    throw thrown;
  }
}

interface Making extends Omit<InstanceMaking, 'isStoppable'>, BuildRequest {
  readonly context: BuildContext<JsonObject>;
  readonly isStoppable: boolean;
  readonly letGo: () => void;
}

function instanceOf(making: Making): BuiltResource {
  const { process, context, config, letGo } = making;
  const own = new AbortController();
  const client = clientOf(making, {
    name: config.name,
    start: startOf(process.module.peer),
    codes: moduleCodes,
    clock: context.clock,
    closed: AbortSignal.any([process.closed, own.signal]),
  });
  const close = async (): Promise<void> => {
    await stopFirst(client, making);
    own.abort(new ArmatureError('resource.not_ready', `${config.fullName} was closed.`));
    try {
      await process.remove(config.fullName);
    } finally {
      letGo();
    }
  };
  let known = making.answers.find(config);
  const reconfigure = async (_attributes: JsonObject, next?: ResourceConfig): Promise<void> => {
    if (next === undefined) throw new ArmatureError('internal.bug', `${config.fullName} is changed without its entry.`);
    await reconfigureInModule(making, known, next);
    known = making.answers.find(next);
  };
  return Object.assign(client, { forwarder: process.forwarder, close, reconfigure });
}

/** The typed client of its API, so that built-in models can use it; else one that can at least be stopped. */
function clientOf({ offered, isStoppable }: Making, place: RemotePlace): Resource {
  const known = findApi(offered.api);
  if (known !== undefined) return known.client(place) as Resource;
  if (isStoppable) return new ActuatorClient(offered.service, place);
  // DoCommand and GetStatus are in every API under the same names.
  const service = {
    ...GenericServiceDefinition,
    fullName: offered.service,
  } as unknown as typeof GenericServiceDefinition;
  return new RemoteResource(service, place);
}

/** Never rejects: what cannot be stopped is removed all the same. */
async function stopFirst(client: Resource, { process, context }: Making): Promise<void> {
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
  { process, answers, held, timeoutMs }: Making,
  known: ReturnType<DependencyAnswers['find']>,
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

/**
 * Something of another process that moves, of an API that this program has no
 * definition of. In every API that moves, the public ones and those made like
 * them, Stop and IsMoving have the messages that a motor's have.
 */
class ActuatorClient extends RemoteResource<typeof MotorServiceDefinition> implements Actuator {
  /** @param service full name of the API's service, in our spelling */
  constructor(service: string, place: RemotePlace) {
    super({ ...MotorServiceDefinition, fullName: service } as unknown as typeof MotorServiceDefinition, place);
  }

  async stop(options?: CallOptions): Promise<void> {
    await this.call('stop', addressed(this.name, options), options);
  }

  async isMoving(): Promise<boolean> {
    return (await this.call('isMoving', { name: this.name })).isMoving;
  }
}
