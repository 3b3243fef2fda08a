import { Resource_State } from '../../../proto/gen/core/status/v1/status.ts';
import type { Changes } from '../../base/async/change-batches.ts';

/** What state a resource is in, and why. Every state a person sees carries its reason. */
export type ResourceState =
  | { readonly kind: 'unconfigured' }
  /** Not started: it waits for these. */
  | {
      readonly kind: 'waiting';
      readonly for: readonly string[];
      readonly reason: string;
      /** Whether all of them are being made ready, none of them after a failure. */
      readonly isUnderWay: boolean;
    }
  | {
      readonly kind: 'configuring';
      readonly reason: string;
      /** Why the build before failed, where this one tries again. */
      readonly lastFailure?: string;
    }
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Builds that failed in a row. */
      readonly attempts: number;
      /** Wall-clock time of the next try; undefined where only a change can help. */
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

/** Whether a resource is on its way to be ready: neither missing anything, nor tried again after a failure. */
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

/** One resource, as subscribers see it. Immutable: a change makes a new one. */
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
