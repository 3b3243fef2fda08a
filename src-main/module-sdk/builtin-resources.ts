import type { BuiltinResources } from '../apis/gen/resources.ts';

export type { BuiltinResources };

export type BuiltinApi = keyof BuiltinResources;

/**
 * What an author writes of a resource. Its name is the context's, `close` is there where something has to be let go, and
 * the end of a board (`closed`) is told by the SDK.
 */
export type Authored<R> = Omit<R, 'name' | 'close' | 'closed'> & {
  readonly name?: string;
  close?(): Promise<void> | void;
};

/** A dependency as a module uses it: the resource itself, which lives in the machine and is not the module's to close. */
export type Dependency<R> = Omit<R, 'close'>;
