import { Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { Changes } from '../../base/async/change-batches.ts';

/** The state of a resource, and the reason for it. Every state shown to people has a reason. */
export type ResourceState =
  | { readonly kind: 'unconfigured' }
  /** Not started: it waits for these resources. */
  | {
      readonly kind: 'waiting';
      readonly for: readonly string[];
      readonly reason: string;
      /** Whether all of them are being made ready, and none of them has failed. */
      readonly isUnderWay: boolean;
    }
  | {
      readonly kind: 'configuring';
      readonly reason: string;
      /** Why the previous build failed, if this one is a retry. */
      readonly lastFailure?: string;
    }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Consecutive failed builds. */
      readonly attempts: number;
      /** Wall-clock time of the next attempt; undefined if only a change can help. */
      readonly nextRetryAt: number | undefined;
    }
  | { readonly kind: 'removing' }
  | { readonly kind: 'disabled' };

/** States as `core.status.v1` has them. */
export const wireStates: Readonly<Record<ResourceState['kind'], Resource_State>> = {
  unconfigured: Resource_State.UNCONFIGURED,
  waiting: Resource_State.WAITING,
  configuring: Resource_State.CONFIGURING,
  ready: Resource_State.READY,
  failed: Resource_State.FAILED,
  removing: Resource_State.REMOVING,
  disabled: Resource_State.DISABLED,
};

/** Whether a resource is on its way to ready: nothing is missing, and it is not a retry after a failure. */
export function isUnderWay(state: ResourceState): boolean {
  switch (state.kind) {
    case 'unconfigured':
    case 'ready':
      return true;
    case 'configuring':
      return state.lastFailure === undefined;
    case 'waiting':
      return state.isUnderWay;
    case 'failed':
    case 'removing':
    case 'disabled':
      return false;
  }
}

/** The status of one resource, as subscribers see it. Immutable: each change creates a new one. */
export interface ResourceStatus {
  readonly fullName: string;
  readonly name: string;
  readonly api: string;
  readonly model: string;
  readonly state: ResourceState;
  /** Wall-clock time at which `state.kind` was entered. */
  readonly since: number;
  /** Revision of the configuration it was last made ready with. */
  readonly revision: string;
  readonly dependsOn: readonly string[];
  readonly notes: string;
}

/** A batch of changes; `removed` are full names. */
export type StatusChanges = Changes<ResourceStatus>;
