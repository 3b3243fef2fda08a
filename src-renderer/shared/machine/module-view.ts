/** What the page knows of modules of a machine, in the page's own words. Times are wall-clock, ms. */
import type { Tone } from './status-merge.ts';

export type ModuleStateKind = 'pending' | 'starting' | 'ready' | 'failed' | 'stopping' | 'disabled';

/** How far a version is that is to replace the running one. */
export type UpdateStep = 'downloading' | 'unpacking' | 'firstRun' | 'deferred' | 'switching' | 'rejected';

export interface ModuleUpdateView {
  /** Exact. */
  readonly version: string;
  readonly step: UpdateStep;
  readonly doneBytes: number;
  /** 0 where it is not known. */
  readonly totalBytes: number;
  /** Why it waits or was not taken; '' otherwise. */
  readonly reason: string;
}

/** A module of the configuration and its process. */
export interface ModuleView {
  readonly name: string;
  /** `namespace:name`; '' for a local one that names none. */
  readonly moduleId: string;
  /** Exact, also where the configuration names a channel; '' where it is not known. */
  readonly version: string;
  /** As the configuration has it. */
  readonly wantedVersion: string;
  readonly isFromRegistry: boolean;
  readonly state: ModuleStateKind;
  readonly reason: string;
  readonly since: number;
  /** Failures in a row. */
  readonly attempts: number;
  /** 0 where no try is planned. */
  readonly nextTryAt: number;
  /** 0 while there is no process. */
  readonly pid: number;
  /** Triplets. */
  readonly models: readonly string[];
  /** Processes that ended by themselves since the machine was started. */
  readonly restarts: number;
  /** How the last one ended; '' where none did. */
  readonly lastExit: string;
  /** Share of one core, and resident memory; 0 while there is no process. */
  readonly cpu: number;
  readonly memoryBytes: number;
  readonly update: ModuleUpdateView | undefined;
  /** Why a person ought to restart it; '' where nobody need. */
  readonly restartHint: string;
  /** It may do and read whatever the server may. */
  readonly isUnconfined: boolean;
}

/** A model that a running module offers. */
export interface ModuleModelView {
  readonly moduleName: string;
  /** Triplets, in our spelling. */
  readonly api: string;
  readonly model: string;
}

/** Modules of the machine that the page is about. */
export interface ModuleCalls {
  /** Models of all modules that run. */
  models(): Promise<readonly ModuleModelView[]>;
  /** Ends its process, or its waiting for the next try, and starts it again. @param name as configured */
  restart(name: string): Promise<void>;
}

const tones: Readonly<Record<ModuleStateKind, Tone>> = {
  ready: 'ok',
  starting: 'warn',
  pending: 'warn',
  stopping: 'warn',
  failed: 'bad',
  disabled: 'off',
};

/** One that runs and has a reason does not answer: somebody may want to look after it. */
export function moduleTone({ state, reason }: Pick<ModuleView, 'state' | 'reason'>): Tone {
  return state === 'ready' && reason !== '' ? 'warn' : tones[state];
}

/** Whether a model is one of a module's: its first two parts are the module's id. */
export function isModelOf(model: string, moduleId: string): boolean {
  return moduleId !== '' && model.startsWith(`${moduleId}:`);
}
