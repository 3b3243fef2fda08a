import type { ResourceNode } from './node.ts';
import type { ResourceState } from './state.ts';
import type { Evaluation } from './evaluation.ts';

/** How a resource is shown. */
export interface Description {
  readonly state: ResourceState;
  /** Whether its last change is still being carried out. */
  readonly isSettling: boolean;
  /** Root cause why it is not ready; '' if it is ready or about to be. */
  readonly cause: string;
  /** Whether its instance may be called. */
  readonly isUsable: boolean;
}

/** Describes the state of a resource, from its phase and its evaluation. Has no side effects. */
export function describe(node: ResourceNode, evaluation: Evaluation): Description {
  const { phase } = node;
  const hasInstance = phase === 'live' || phase === 'changing' || phase === 'renewing' || phase === 'recalled';
  const isWanted = evaluation.kind !== 'remove' && node.obstacle?.kind !== 'disabled';
  const state = stateOf(node, evaluation);
  return {
    state,
    isSettling: isSettling(node, evaluation),
    cause: causeOf(node, evaluation, state),
    isUsable: hasInstance && isWanted,
  };
}

function stateOf(node: ResourceNode, evaluation: Evaluation): ResourceState {
  if (evaluation.kind === 'remove') return { kind: 'removing' };
  if (evaluation.kind === 'wait') return evaluation.state;
  switch (node.phase) {
    case 'empty':
      return emptyState(node);
    case 'building':
      return buildingState(node);
    case 'withdrawn':
      return { kind: 'configuring', reason: 'waiting for the previous build to give up' };
    case 'overdue':
      return overdueState(node);
    case 'live':
      if (node.isLeaving) return { kind: 'configuring', reason: 'waiting for its dependents to close' };
      return node.isRebuildDue ? { kind: 'configuring', reason: 'about to be built again' } : { kind: 'ready' };
    case 'changing':
      return { kind: 'configuring', reason: 'taking new attributes' };
    case 'renewing':
      return { kind: 'configuring', reason: 'being built; the previous instance answers until then' };
    case 'recalled':
      return {
        kind: 'configuring',
        reason: 'waiting for a build to give up; the previous instance answers until then',
      };
    case 'closing':
      return { kind: 'configuring', reason: 'closing the previous instance' };
  }
}

function emptyState({ failure, isRetiring }: ResourceNode): ResourceState {
  if (failure === undefined) {
    return { kind: 'configuring', reason: isRetiring ? 'closing the previous instance' : 'about to be built' };
  }
  const { reason, attempts, nextRetryAt } = failure;
  return { kind: 'failed', reason, attempts, nextRetryAt };
}

function buildingState({ build, failure }: ResourceNode): ResourceState {
  const isAsked = build?.isAskOnly === true;
  if (failure === undefined) {
    return { kind: 'configuring', reason: isAsked ? 'its module is asked what it needs' : 'being built' };
  }
  const { attempts, reason: lastFailure } = failure;
  const reason = isAsked ? 'its module is asked again what it needs' : `try ${attempts + 1}, after: ${lastFailure}`;
  return { kind: 'configuring', reason, lastFailure };
}

function overdueState({ build, failure }: ResourceNode): ResourceState {
  const since = new Date(build?.startedAt ?? 0).toISOString();
  if (failure === undefined) {
    const reason = `an earlier build is still running since ${since}; the next one starts when it returns`;
    return { kind: 'failed', reason, attempts: 0, nextRetryAt: undefined };
  }
  const reason = `timed out after ${formatSeconds(build?.timeoutMs ?? 0)}; still running since ${since}`;
  return { kind: 'failed', reason, attempts: failure.attempts, nextRetryAt: undefined };
}

function isSettling(node: ResourceNode, evaluation: Evaluation): boolean {
  // A change is complete only when the replaced instance has closed.
  if (node.isRetiring) return true;
  switch (node.phase) {
    case 'empty':
      return evaluation.kind === 'wait' && evaluation.isTransient;
    case 'building':
      // A retry is not part of the requested change, which has already failed.
      return node.failure === undefined;
    case 'overdue':
      return false;
    case 'live':
      return node.isLeaving || node.isRebuildDue;
    case 'withdrawn':
    case 'changing':
    case 'renewing':
    case 'recalled':
    case 'closing':
      return true;
  }
}

function causeOf(node: ResourceNode, evaluation: Evaluation, state: ResourceState): string {
  if (evaluation.kind === 'wait') return evaluation.cause;
  if (state.kind === 'failed') return `${node.label} failed: ${state.reason}`;
  // During a retry the failure is still the reason: resources that wait for this one are not notified until something
  // changes.
  if (node.failure !== undefined) return `${node.label} failed: ${node.failure.reason}`;
  return '';
}

/** `60 s`, `2.5 s`. */
export function formatSeconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
