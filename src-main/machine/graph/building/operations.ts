import { ArmatureError, type ErrorCode } from '../../../base/errors.ts';
import { formatSeconds } from '../description.ts';
import { reasonOf } from '../reason-of.ts';
import type { ResourceNode } from '../node.ts';
import type { Actuator } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import { withTimeout } from '../../../base/async/timeout.ts';
import type { ResourceConfig } from '../../catalog/resource-config.ts';
import type { BuiltResource } from '../../catalog/model.ts';

/**
 * Closes an instance and waits at most `timeoutMs`. Never rejects: if closing fails or hangs, it logs a warning and
 * gives up, so that nothing else is delayed.
 */
export async function closeInstance(
  node: ResourceNode,
  resource: BuiltResource,
  timeoutMs: number,
  clock: Clock,
): Promise<void> {
  const onTimeout = (): void =>
    node.logger.warn(`Closing ${node.label} did not end within ${formatSeconds(timeoutMs)}; going on without it.`);
  try {
    await withTimeout(() => resource.close(), { clock, ms: timeoutMs, onTimeout });
  } catch (thrown) {
    node.logger.warn(`Closing ${node.label} failed: ${reasonOf(thrown)}.`, { error: thrown });
  }
}

/**
 * Passes new attributes to a running instance. Returns false if the instance did not accept them and must be rebuilt.
 */
export async function changeInstance(
  node: ResourceNode,
  resource: BuiltResource,
  config: ResourceConfig,
  timeoutMs: number,
  clock: Clock,
): Promise<boolean> {
  const onTimeout = (): never => {
    throw new Error(`it did not answer within ${formatSeconds(timeoutMs)}`);
  };
  try {
    const change = () => resource.reconfigure!(config.attributes, config);
    await withTimeout(change, { clock, ms: timeoutMs, onTimeout });
    return true;
  } catch (thrown) {
    const level = isCode(thrown, 'call.unimplemented') ? 'info' : 'warn';
    node.logger[level](`${node.label} did not take its new attributes, so it is rebuilt: ${reasonOf(thrown)}.`);
    return false;
  }
}

function isCode(thrown: unknown, code: ErrorCode): boolean {
  return thrown instanceof ArmatureError && thrown.code === code;
}

/** Stops actuators at the same time, each for at most `timeoutMs`. Never rejects. */
export async function stopActuators(
  actuators: Iterable<{ readonly node: ResourceNode; readonly actuator: Actuator }>,
  timeoutMs: number,
  clock: Clock,
): Promise<void> {
  const stops = [...actuators].map(async ({ node, actuator }) => {
    const onTimeout = (): never => {
      throw new Error(`no answer within ${formatSeconds(timeoutMs)}`);
    };
    try {
      await withTimeout(() => actuator.stop(), { clock, ms: timeoutMs, onTimeout });
    } catch (thrown) {
      node.logger.error(`Stopping ${node.label} failed: ${reasonOf(thrown)}.`);
    }
  });
  await Promise.all(stops);
}
