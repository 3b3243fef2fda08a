import type { Peer } from '../../../rpc/peer/peer.ts';

/** A model that a module offers, in our spelling. */
export interface OfferedModel {
  readonly api: string;
  readonly model: string;
  /** Full proto name of the API's service, in our spelling. */
  readonly service: string;
}

/**
 * A module whose process is ready. Each start of the process has a new object, so comparing two shows whether the
 * process is still the same.
 */
export interface RunningModule {
  readonly name: string;
  /** `namespace:module`; '' for a local module without one. */
  readonly moduleId: string;
  readonly isFromRegistry: boolean;
  readonly peer: Peer;
  readonly models: readonly OfferedModel[];
  /**
   * Holds the process for one of its resources. A process is stopped only when no resource holds it any more, or after
   * 20 s.
   * @returns a function that releases it; a second call does nothing
   */
  hold(): () => void;
}

/** Why a configured module serves no models now. */
export interface ModuleAbsence {
  readonly name: string;
  /** `failed` until its next start, which is automatic; `disabled` until the configuration changes. */
  readonly kind: 'starting' | 'failed' | 'disabled';
  /** For people, without a full stop: `module acme_motors ended: exit code 1 after 3.2 s (KeyError: 'pin')`. */
  readonly reason: string;
}

/** What code that handles resources knows about modules. */
export interface ModuleDirectory {
  /** Modules that are ready and not about to be stopped. */
  readonly running: readonly RunningModule[];
  /** Why no module of this id is running; undefined if none is configured, or one is running. */
  absenceOf(moduleId: string): ModuleAbsence | undefined;
  /**
   * Called at once after each change of the above: what a dead process served must fail now. Returns an unsubscribe
   * function.
   */
  onChange(listener: () => void): () => void;
}
