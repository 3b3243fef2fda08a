import { isActuator } from '../../../apis/api.ts';
import { formatSeconds } from '../description.ts';
import { stopActuators } from './operations.ts';
import type { ResourceNode } from '../node.ts';
import type { Actuator } from '../../../apis/resource.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';

/** Time limit for stopping the actuators. All are stopped at the same time. */
const STOP_TIMEOUT_MS = 2_000;

export interface ShutdownResult {
  /** Full names of resources that had not closed at the deadline. */
  readonly unclosed: readonly string[];
}

export interface ShutdownOptions {
  readonly nodes: ReadonlyMap<string, ResourceNode>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Time limit for the whole shutdown. */
  readonly timeoutMs: number;
  /** Prevents further builds. */
  readonly freeze: () => void;
  /** Removes resources from the desired state. */
  readonly remove: (nodes: Iterable<ResourceNode>) => void;
  /** Settles when no resource is left. */
  readonly whenEmpty: () => Promise<void>;
}

/**
 * Ends every resource: builds are cancelled, actuators are stopped,
 * then everything is closed, dependents before what they depend on. Never takes
 * longer than `timeoutMs`.
 */
export async function shutDown(options: ShutdownOptions): Promise<ShutdownResult> {
  const { nodes, clock, logger, timeoutMs } = options;
  let endTime = (): void => {};
  const timeOver = new Promise<void>((resolve) => {
    endTime = resolve;
  });
  const timer = clock.after(timeoutMs, endTime);
  options.freeze();
  options.remove([...nodes.values()].filter(({ instance }) => instance === undefined));
  await Promise.race([timeOver, stopActuators(runningActuators(nodes), STOP_TIMEOUT_MS, clock)]);
  options.remove(nodes.values());
  await Promise.race([timeOver, options.whenEmpty()]);
  timer.cancel();
  const unclosed = [...nodes.values()].filter(({ isForgotten }) => !isForgotten).map(({ fullName }) => fullName);
  if (unclosed.length > 0) {
    logger.warn(`Not closed within ${formatSeconds(timeoutMs)}: ${unclosed.join(', ')}.`, { unclosed });
  }
  return { unclosed };
}

function* runningActuators(
  nodes: ReadonlyMap<string, ResourceNode>,
): Iterable<{ readonly node: ResourceNode; readonly actuator: Actuator }> {
  for (const node of nodes.values()) {
    const resource = node.instance?.resource;
    if (resource !== undefined && resource.isElsewhere !== true && isActuator(resource))
      yield { node, actuator: resource };
  }
}
