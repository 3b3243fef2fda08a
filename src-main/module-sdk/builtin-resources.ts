import type { BuiltinResources } from '../apis/gen/resources.ts';

export type { BuiltinResources };

export type BuiltinApi = keyof BuiltinResources;

/**
 * The part of a resource that an author writes. The name comes from the context, `close` is needed only if there is
 * something to release, and the SDK reports the end of a board (`closed`).
 */
export type Authored<R> = Omit<R, 'name' | 'close' | 'closed'> & {
  readonly name?: string;
  close?(): Promise<void> | void;
};

/**
 * A dependency as a module uses it: the resource itself, which lives in the machine and must not be closed by the
 * module.
 */
export type Dependency<R> = Omit<R, 'close'>;
