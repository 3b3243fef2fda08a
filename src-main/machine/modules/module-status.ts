import type { Changes } from '../../base/async/change-batches.ts';
import type { IsolationKind } from './isolation/isolation.ts';

/** What a module and its process are doing. */
export type ModuleState =
  | {
      readonly kind: 'pending' | 'starting' | 'ready' | 'stopping' | 'disabled';
      /** For people, without a full stop; '' where there is nothing to explain. */
      readonly reason: string;
    }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** Failures in a row. */
      readonly attempts: number;
      /** Wall-clock milliseconds; undefined where no start is planned. */
      readonly nextRetryAt: number | undefined;
    };

/** A version on its way to replace the one that runs, or one that was refused. */
export interface ModuleUpdate {
  readonly version: string;
  readonly step: 'downloading' | 'unpacking' | 'first-run' | 'deferred' | 'switching' | 'rejected';
  readonly doneBytes: number;
  /** 0 where it is not known. */
  readonly totalBytes: number;
  readonly reason: string;
}

/** Of all processes of a module together. */
export interface ProcessUsage {
  /** Share of one core: 1.5 is one and a half. */
  readonly cpu: number;
  /** Resident. */
  readonly memoryBytes: number;
}

/** The status of a configured module, as it is shown to people. Immutable. */
export interface ModuleStatus {
  readonly name: string;
  /** `namespace:module`; '' for a local one that names none. */
  readonly moduleId: string;
  readonly isFromRegistry: boolean;
  /** Exact; '' while it is not known. */
  readonly version: string;
  /** As configured. */
  readonly wantedVersion: string;
  readonly notes: string;
  readonly state: ModuleState;
  /** When it came into this state, wall-clock milliseconds. */
  readonly since: number;
  /** 0 while there is no process. */
  readonly pid: number;
  /** Triplets of the models that it serves. */
  readonly models: readonly { readonly api: string; readonly model: string }[];
  /** Processes of it that ended on their own since the machine was started. */
  readonly restarts: number;
  /** `exit code 1 after 3.2 s: KeyError: 'pin'`; '' where none ended yet. */
  readonly lastExit: string;
  /** Undefined where it is not measured, or there is no process. */
  readonly usage: ProcessUsage | undefined;
  readonly update: ModuleUpdate | undefined;
  /** Why a person ought to restart it, though it runs; '' otherwise. */
  readonly restartHint: string;
  /** How its process is isolated; '' while there is none. */
  readonly isolation: IsolationKind | '';
}

/** A batch of changes; `removed` are names. */
export type ModuleChanges = Changes<ModuleStatus>;
