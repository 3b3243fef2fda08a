import type { Changes } from '../../base/async/change-batches.ts';
import type { IsolationKind } from './isolation/isolation.ts';

/** The state of a module and its process. */
export type ModuleState =
  | {
      readonly kind: 'pending' | 'starting' | 'ready' | 'stopping' | 'disabled';
      /** For people, without a full stop; '' if there is nothing to explain. */
      readonly reason: string;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Consecutive failures. */
      readonly attempts: number;
      /** Wall-clock milliseconds; undefined if no start is scheduled. */
      readonly nextRetryAt: number | undefined;
    };

/** A version that is about to replace the running one, or one that was rejected. */
export interface ModuleUpdate {
  readonly version: string;
  readonly step: 'downloading' | 'unpacking' | 'first-run' | 'deferred' | 'switching' | 'rejected';
  readonly doneBytes: number;
  /** 0 if unknown. */
  readonly totalBytes: number;
  readonly reason: string;
}

/** Of all processes of a module together. */
export interface ProcessUsage {
  /** Share of one core: 1.5 means one and a half cores. */
  readonly cpu: number;
  /** Resident memory. */
  readonly memoryBytes: number;
}

/** The status of a configured module, as shown to people. Immutable. */
export interface ModuleStatus {
  readonly name: string;
  /** `namespace:module`; '' for a local module without one. */
  readonly moduleId: string;
  readonly isFromRegistry: boolean;
  /** Exact; '' while unknown. */
  readonly version: string;
  /** As configured. */
  readonly wantedVersion: string;
  readonly notes: string;
  readonly state: ModuleState;
  /** When it entered this state, wall-clock milliseconds. */
  readonly since: number;
  /** 0 while there is no process. */
  readonly pid: number;
  /** Triplets of its models. */
  readonly models: readonly { readonly api: string; readonly model: string }[];
  /** How often its process has ended on its own since the machine started. */
  readonly restarts: number;
  /** `exit code 1 after 3.2 s: KeyError: 'pin'`; '' if none has ended yet. */
  readonly lastExit: string;
  /** Undefined if it is not measured, or there is no process. */
  readonly usage: ProcessUsage | undefined;
  readonly update: ModuleUpdate | undefined;
  /** Why it should be restarted although it runs; '' otherwise. */
  readonly restartHint: string;
  /** How its process is isolated; '' while there is none. */
  readonly isolation: IsolationKind | '';
}

/** A batch of changes; `removed` are names. */
export type ModuleChanges = Changes<ModuleStatus>;
