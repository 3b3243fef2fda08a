import { Module_State, type Module } from '../../../../proto/gen/core/status/v1/status.ts';
import type { Tone } from '../rpc/status-merge.ts';

/** A model that a running module offers. */
export interface ModuleModelView {
  readonly moduleName: string;
  /** Triplets, in canonical form. */
  readonly api: string;
  readonly model: string;
}

/** Modules of the machine that the page is about. */
export interface ModuleCalls {
  /** Models of all running modules. */
  models(): Promise<readonly ModuleModelView[]>;
  /** Ends its process, or its wait for the next attempt, and starts it again. @param name as configured */
  restart(name: string): Promise<void>;
}

/** States of a module, as the message keys name them. */
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

/** A running module with a reason does not answer, which is shown as a warning. */
export function moduleTone({ state, reason }: Pick<Module, 'state' | 'reason'>): Tone {
  return state === Module_State.READY && reason !== '' ? 'warn' : (known[state]?.[1] ?? 'warn');
}

/** Whether a model belongs to a module: its first two parts are the module's id. */
export function isModelOf(model: string, moduleId: string): boolean {
  return moduleId !== '' && model.startsWith(`${moduleId}:`);
}
