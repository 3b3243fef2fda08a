import { ArmatureError, toArmatureError } from '../../base/errors.ts';
import { STOP_DEADLINE_MS, stopWithin } from '../sessions/stop-within.ts';
import type { JsonObject } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServerCall } from '../../rpc/call.ts';
import type { OperationRegistry } from './operation-registry.ts';

/** A ready actuator, in any process. */
export interface StoppableActuator {
  readonly fullName: string;
  /** Whether its stop ends the commands that drive it, so that they need no cancelling. */
  readonly endsItsCommands?: boolean;
  stop(options: {
    readonly extra: JsonObject | undefined;
    readonly signal: AbortSignal;
    /** Whether a caller asked for it; see `StopOptions`. */
    readonly isCommanded: boolean;
  }): Promise<void>;
}

export interface StopAllRequest {
  readonly clock: Clock;
  readonly operations: OperationRegistry;
  /**
   * The call that asked, or undefined for the program itself. It is not cancelled, and the stop continues if its caller
   * leaves.
   */
  readonly caller: ServerCall | undefined;
  readonly actuators: Iterable<StoppableActuator>;
  /** Full name of the resource that a call is for. */
  readonly resourceOf: (call: ServerCall) => string | undefined;
  /** Free-form parameters by full name in our spelling. */
  readonly extras: ReadonlyMap<string, JsonObject>;
}

/**
 * Cancels calls that may be moving something, except commands that a stop ends by itself: their callers see no failure.
 * Then stops all actuators in parallel, each with its own deadline. Throws `hardware.failed`, naming each one that did
 * not stop and why; `details.failures` contains them by full name.
 */
export async function stopAll(request: StopAllRequest): Promise<void> {
  const actuators = [...request.actuators];
  const ending = new Set(actuators.filter(({ endsItsCommands }) => endsItsCommands).map(({ fullName }) => fullName));
  request.operations.cancelMotion((call) => {
    if (call === request.caller) return true;
    return call.method.traits.moves === true && ending.has(request.resourceOf(call) ?? '');
  });
  const outcomes = await Promise.allSettled(
    actuators.map((actuator) =>
      stopWithin(request.clock, STOP_DEADLINE_MS, actuator.fullName, (signal) =>
        actuator.stop({
          extra: request.extras.get(actuator.fullName),
          signal,
          isCommanded: request.caller !== undefined,
        }),
      ),
    ),
  );
  const failures: Record<string, string> = {};
  outcomes.forEach((outcome, index) => {
    const actuator = actuators[index];
    if (outcome.status === 'rejected' && actuator !== undefined) {
      failures[actuator.fullName] = toArmatureError(outcome.reason).message;
    }
  });
  const names = Object.keys(failures);
  if (names.length === 0) return;
  const list = names.map((name) => `${name}: ${failures[name] ?? ''}`).join('; ');
  throw new ArmatureError(
    'hardware.failed',
    `${names.length} of ${actuators.length} actuators did not confirm their stop. ${list}`,
    { details: { failures } },
  );
}
