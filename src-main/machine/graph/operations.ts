import { ArmatureError, type ErrorCode } from '../../base/errors.ts';
import { formatSeconds } from './description.ts';
import { reasonOf, withDeadline } from './deadline.ts';
import type { ResourceNode } from './node.ts';
import type { Actuator } from '../../apis/resource.ts';
import type { Clock } from '../../base/clock.ts';
import type { ResourceConfig } from '../config/machine-config.ts';
import type { BuiltResource } from '../models/model.ts';

/**
 * Closes an instance and waits at most `timeoutMs`. Never rejects: one that
 * fails or hangs is given up on with a warning, so that it holds up nobody (B2.11).
 */
export async function closeInstance(
  node: ResourceNode,
  resource: BuiltResource,
  timeoutMs: number,
  clock: Clock,
): Promise<void> {
  const outcome = await withDeadline(() => resource.close(), timeoutMs, clock);
  if (outcome.kind === 'failed') {
    node.logger.warn(`Closing ${node.label} failed: ${reasonOf(outcome.thrown)}.`, { error: outcome.thrown });
  } else if (outcome.kind === 'late') {
    node.logger.warn(`Closing ${node.label} did not end within ${formatSeconds(timeoutMs)}; going on without it.`);
  }
}

/** Hands new attributes to a running instance. False where it did not take them and must be rebuilt. */
export async function changeInstance(
  node: ResourceNode,
  resource: BuiltResource,
  config: ResourceConfig,
  timeoutMs: number,
  clock: Clock,
): Promise<boolean> {
  const outcome = await withDeadline(() => resource.reconfigure!(config.attributes, config), timeoutMs, clock);
  if (outcome.kind === 'done') return true;
  const why =
    outcome.kind === 'failed' ? reasonOf(outcome.thrown) : `it did not answer within ${formatSeconds(timeoutMs)}`;
  const isUsual = outcome.kind === 'failed' && isCode(outcome.thrown, 'call.unimplemented');
  node.logger[isUsual ? 'info' : 'warn'](`${node.label} did not take its new attributes, so it is rebuilt: ${why}.`);
  return false;
}

function isCode(thrown: unknown, code: ErrorCode): boolean {
  return thrown instanceof ArmatureError && thrown.code === code;
}

/** Stops actuators at the same time, each for at most `timeoutMs` (B2.12). Never rejects. */
export async function stopActuators(
  actuators: Iterable<{ readonly node: ResourceNode; readonly actuator: Actuator }>,
  timeoutMs: number,
  clock: Clock,
): Promise<void> {
  const stops = [...actuators].map(async ({ node, actuator }) => {
    const outcome = await withDeadline(() => actuator.stop(), timeoutMs, clock);
    if (outcome.kind === 'done') return;
    const why = outcome.kind === 'failed' ? reasonOf(outcome.thrown) : `no answer within ${formatSeconds(timeoutMs)}`;
    node.logger.error(`Stopping ${node.label} failed: ${why}.`);
  });
  await Promise.all(stops);
}
