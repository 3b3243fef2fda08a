/// <reference types="vite/types/importMeta.d.ts" />
import { catalogOf } from './catalog-of.ts';
import type { ModelCatalog } from '../catalog/catalog-type.ts';
import type { Model } from '../catalog/model.ts';
import type { ModelSchema } from '../../../proto/config/models/model-schema.ts';

/**
 * The built-in models: every folder here that has a `schema.ts`. Descriptions are loaded at once; a model's code is
 * loaded when a configuration names it.
 */
export const builtinCatalog: ModelCatalog = catalogOf({
  schemas: import.meta.glob<ModelSchema>('./*/schema.ts', { eager: true, import: 'model' }),
  machineRules: import.meta.glob<NonNullable<ModelSchema['check']>>('./*/machine-rules.ts', {
    eager: true,
    import: 'check',
  }),
  builders: import.meta.glob<Model['build']>('./*/build.ts', { import: 'build' }),
});
