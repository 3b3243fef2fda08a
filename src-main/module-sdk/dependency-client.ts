import { ArmatureError } from '../base/errors.ts';
import type { BuiltinApi, BuiltinResources, Dependency } from './builtin-resources.ts';
import type { ContextParts } from './context.ts';

/** A resource of the machine, called over its connection. */
export function dependencyClient<K extends BuiltinApi>(
  api: K,
  name: string,
  _parts: ContextParts,
  _signal: AbortSignal,
): Dependency<BuiltinResources[K]> {
  throw new ArmatureError('call.unimplemented', `${api}/${name} cannot be called yet.`);
}
