import { traitsOfMethods } from '../../proto/gen/method-traits.ts';

/** Public APIs of components whose resources can be stopped, including those that only modules have models for. */
export const movingApis: ReadonlySet<string> = new Set(
  Object.entries(traitsOfMethods).flatMap(([service, methods]) => {
    const [, component] = /^core\.component\.([a-z]+)\.v1\./.exec(service) ?? [];
    return component !== undefined && 'Stop' in methods ? [`core:component:${component}`] : [];
  }),
);
