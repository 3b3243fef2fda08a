import { RegistryModule_Visibility, type RegistryModule } from '../../../proto/gen/core/hub/v1/registry.ts';

/** The visibility of a module, as message keys name it. */
export function visibilityName({ visibility }: RegistryModule): 'private' | 'public' | 'unlisted' {
  if (visibility === RegistryModule_Visibility.PUBLIC) return 'public';
  return visibility === RegistryModule_Visibility.UNLISTED ? 'unlisted' : 'private';
}
