import { Module_State, type Module } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Tone } from '../rpc/status-merge.ts';

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

/** As the catalogue names the states of a module. */
export type ModuleStateName = 'pending' | 'starting' | 'ready' | 'failed' | 'stopping' | 'disabled';

const known: Readonly<Record<number, readonly [ModuleStateName, Tone]>> = {
  [Module_State.STARTING]: ['starting', 'warn'],
  [Module_State.READY]: ['ready', 'ok'],
  [Module_State.FAILED]: ['failed', 'bad'],
  [Module_State.STOPPING]: ['stopping', 'warn'],
  [Module_State.DISABLED]: ['disabled', 'off'],
};

export function moduleStateName(state: Module_State): ModuleStateName {
  return known[state]?.[0] ?? 'pending';
}

/** One that runs and has a reason does not answer: somebody may want to look after it. */
export function moduleTone({ state, reason }: Pick<Module, 'state' | 'reason'>): Tone {
  return state === Module_State.READY && reason !== '' ? 'warn' : (known[state]?.[1] ?? 'warn');
}

/** Whether a model is one of a module's: its first two parts are the module's id. */
export function isModelOf(model: string, moduleId: string): boolean {
  return moduleId !== '' && model.startsWith(`${moduleId}:`);
}
