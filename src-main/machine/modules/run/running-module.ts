import type { Peer } from '../../../rpc/peer/peer.ts';

/** A model that a module offers, in our spelling. */
export interface OfferedModel {
  readonly api: string;
  readonly model: string;
  /** Full proto name of the API's service, in our spelling. */
  readonly service: string;
}

/**
 * A module whose process is ready. Each start of the process is another object,
 * so comparing two shows whether the process is still the same.
 */
export interface RunningModule {
  readonly name: string;
  /** `namespace:module`; '' for a local one that names none. */
  readonly moduleId: string;
  readonly isFromRegistry: boolean;
  readonly peer: Peer;
  readonly models: readonly OfferedModel[];
  /**
   * Holds the process for a resource in it. A process is stopped only when no
   * resource holds it any more, or after 20 s.
   * @returns a function that releases it; a second call does nothing
   */
  hold(): () => void;
}

/** Why a configured module serves nothing at the moment. */
export interface ModuleAbsence {
  readonly name: string;
  /** `failed` until its next start, which comes by itself; `disabled` until the configuration changes. */
  readonly kind: 'starting' | 'failed' | 'disabled';
  /** For people, without a full stop: `module acme_motors ended: exit code 1 after 3.2 s (KeyError: 'pin')`. */
  readonly reason: string;
}

/** What the resource side knows of modules. */
export interface ModuleDirectory {
  /** Those that are ready and not about to be stopped. */
  readonly running: readonly RunningModule[];
  /** Why no module of this id serves; undefined where none is configured, or one does. */
  absenceOf(moduleId: string): ModuleAbsence | undefined;
  /**
   * Called after each change of the above, at once: what a dead process served must fail now. Returns an unsubscribe
   * function.
   */
  onChange(listener: () => void): () => void;
}
