import { inOrder, type ModelSchema } from '../../proto/config/models/model-schema.ts';

/** The models that need no module. */
export const builtinModels: readonly ModelSchema[] = inOrder(
  Object.values(
    import.meta.glob<ModelSchema>('../../src-main/machine/models/*/schema.ts', { eager: true, import: 'model' }),
  ),
);

/** The built-in model of an API; both names in canonical form. */
export function findBuiltinModel(api: string, model: string): ModelSchema | undefined {
  return builtinModels.find((entry) => entry.api === api && entry.model === model);
}
