import type { DependencyGenerations, Obstacle, Requirement, ResourceNode } from './node.ts';
import { isUnderWay, type ResourceState } from './state.ts';

/** What to do with a resource, given its current configuration and dependencies. */
export type Evaluation =
  /** No longer configured. */
  | { readonly kind: 'remove' }
  /** May be built with these dependencies, or asked what it needs, which takes none. */
  | { readonly kind: 'build'; readonly held: DependencyGenerations; readonly isAskOnly: boolean }
  | {
      readonly kind: 'wait';
      readonly state: ResourceState;
      /**
       * The root cause, for resources that depend on this one. '' while resources are being configured: in a long chain
       * the root changes with each resource that becomes ready. A starting module is named, because it may take
       * minutes.
       */
      readonly cause: string;
      /** Whether what it waits for is still in progress. */
      readonly isTransient: boolean;
    };

export type NearestName = (written: string) => string | undefined;

/** Decides what to do with a resource. Has no side effects. */
export function evaluate(node: ResourceNode, nearestName: NearestName): Evaluation {
  if (node.desired === undefined) return { kind: 'remove' };
  if (node.obstacle !== undefined) return evaluateObstacle(node, node.obstacle);
  const blocked = evaluateCycle(node) ?? evaluateRequired(node, nearestName);
  // The assumed dependencies may be wrong: the resource could wait for them forever.
  if (blocked !== undefined && mayAsk(node)) return { kind: 'build', held: noDependenciesHeld, isAskOnly: true };
  return blocked ?? evaluateOptional(node) ?? { kind: 'build', held: currentGenerations(node), isAskOnly: false };
}

const noDependenciesHeld: DependencyGenerations = new Map();

function mayAsk(node: ResourceNode): boolean {
  if (node.phase === 'building') return node.build?.isAskOnly === true;
  return node.phase === 'empty' && node.isDeclaredByGuess;
}

function evaluateCycle(node: ResourceNode): Evaluation | undefined {
  if (node.cycle === undefined) return undefined;
  const reason = `it depends on itself: ${node.cycle}; remove one of these dependencies`;
  return evaluateObstacle(node, { kind: 'failed', reason });
}

/** Whether these are still the dependencies of the resource. */
export function areDependenciesCurrent(node: ResourceNode, held: DependencyGenerations): boolean {
  let count = 0;
  for (const dependency of currentDependencies(node)) {
    if (held.get(dependency) !== dependency.generation) return false;
    count++;
  }
  return count === held.size;
}

/**
 * Whether every instance that a build was given is still available. An optional one that appeared later does not
 * matter.
 */
export function areDependenciesAvailable(held: DependencyGenerations): boolean {
  for (const [dependency, generation] of held) {
    if (!dependency.isAvailable || dependency.generation !== generation) return false;
  }
  return true;
}

export function isSameGenerations(a: DependencyGenerations, b: DependencyGenerations): boolean {
  if (a.size !== b.size) return false;
  for (const [node, generation] of a) if (b.get(node) !== generation) return false;
  return true;
}

function* currentDependencies(node: ResourceNode): Iterable<ResourceNode> {
  for (const { found } of node.required) yield found[0]!;
  for (const dependency of node.optional) if (dependency.isAvailable) yield dependency;
}

function currentGenerations(node: ResourceNode): DependencyGenerations {
  const held = new Map<ResourceNode, number>();
  for (const dependency of currentDependencies(node)) held.set(dependency, dependency.generation);
  return held;
}

function evaluateObstacle(node: ResourceNode, obstacle: Obstacle): Evaluation {
  switch (obstacle.kind) {
    case 'disabled':
      return {
        kind: 'wait',
        state: { kind: 'disabled' },
        cause: `${node.label} is disabled`,
        isTransient: false,
      };
    case 'failed': {
      const state: ResourceState = { kind: 'failed', reason: obstacle.reason, attempts: 0, nextRetryAt: undefined };
      return { kind: 'wait', state, cause: `${node.label} failed: ${obstacle.reason}`, isTransient: false };
    }
    case 'no-model':
    case 'no-package': {
      const { reason, isTransient, isUnderWay } = obstacle;
      const state: ResourceState = { kind: 'waiting', for: [obstacle.for], reason, isUnderWay };
      return { kind: 'wait', state, cause: `${node.label} is ${reason}`, isTransient };
    }
  }
}

function evaluateRequired(node: ResourceNode, nearestName: NearestName): Evaluation | undefined {
  const missing = node.required.filter(({ found }) => found.length !== 1 || !found[0]!.isAvailable);
  const [first] = missing;
  if (first === undefined) return undefined;
  const others = missing.length === 1 ? '' : ` (and ${missing.length - 1} more)`;
  // A missing dependency that is being built needs no attention: if another one is also missing, that one is the
  // reason.
  const hopeless = missing.find((one) => !isOnItsWay(one));
  const reason = reasonFor(hopeless ?? first, nearestName) + others;
  const settling = missing.find(({ found }) => found.length === 1 && found[0]!.isSettling)?.found[0];
  const isTransient = settling !== undefined;
  const { found } = hopeless ?? first;
  const cause = found.length === 1 ? found[0]!.cause : `${node.label} is ${reason}`;
  const state: ResourceState = {
    kind: 'waiting',
    for: missing.map(nameOf),
    reason,
    isUnderWay: hopeless === undefined,
  };
  const root = hopeless === undefined ? settling?.cause : undefined;
  return { kind: 'wait', state, cause: root ?? cause, isTransient };
}

function isOnItsWay({ found }: Requirement): boolean {
  return found.length === 1 && isUnderWay(found[0]!.state);
}

/**
 * A resource that is not built yet waits until its optional dependencies have settled; otherwise it would be built
 * twice. A running one continues. It does not wait for dependencies that need a starting module, which may take
 * minutes.
 */
function evaluateOptional(node: ResourceNode): Evaluation | undefined {
  if (node.phase !== 'empty') return undefined;
  const settling = node.optional.filter(({ isSettling, cause }) => isSettling && cause === '');
  const [first] = settling;
  if (first === undefined) return undefined;
  const reason = `waiting for ${first.label}, which is being configured and which it would use`;
  const names = settling.map(({ fullName }) => fullName);
  const state: ResourceState = { kind: 'waiting', for: names, reason, isUnderWay: true };
  return { kind: 'wait', state, cause: '', isTransient: true };
}

function nameOf({ written, found }: Requirement): string {
  return found.length === 1 ? found[0]!.fullName : written;
}

function reasonFor({ written, found }: Requirement, nearestName: NearestName): string {
  if (found.length === 0) {
    const near = nearestName(written);
    return `waiting for ${readableName(written)}, which is not configured${near === undefined ? '' : ` (nearest: ${near})`}`;
  }
  if (found.length > 1) {
    const names = found.map(({ fullName }) => fullName).sort();
    return `its dependency ${written} may be ${names.join(' or ')}: write the full name`;
  }
  const dependency = found[0]!;
  const { state, label, cause } = dependency;
  switch (state.kind) {
    case 'failed':
      return `its ${label} failed: ${state.reason}`;
    case 'disabled':
      return `waiting for ${label}, which is disabled`;
    case 'waiting':
      if (cause === '') return `waiting for ${label}, which waits for what it depends on`;
      return `waiting for ${label}, which waits because ${cause}`;
    case 'unconfigured':
    case 'configuring':
    case 'ready':
    case 'removing':
      return cause === '' ? `waiting for ${label}, which is being configured` : `its ${cause}`;
  }
}

/** `core:component:board/bench` becomes `board bench`; a short name is unchanged. */
function readableName(written: string): string {
  const slash = written.indexOf('/');
  if (slash < 0) return written;
  return `${written.slice(written.lastIndexOf(':', slash) + 1, slash)} ${written.slice(slash + 1)}`;
}
