import type { ModelCatalog } from '../catalog/catalog-type.ts';
import { noDependencies, type CatalogEntry, type Dependencies, type Model } from '../catalog/model.ts';
import { referencesIn } from './references.ts';
import { movingApis } from '../../apis/moving-apis.ts';
import type { JsonObject } from '../../apis/resource.ts';
import { ArmatureError } from '../../base/errors.ts';
import type { JsonSchema } from '../../../proto/config/schema/json-schema.ts';
import { inOrder, type ModelSchema } from '../../../proto/config/models/model-schema.ts';

/** The contents of the model folders, by path: `./motor-gpio/schema.ts`. */
export interface ModelFolders {
  readonly schemas: Readonly<Record<string, ModelSchema>>;
  /** Rules that only the machine can check, for models that have some (`machine-rules.ts`). */
  readonly machineRules: Readonly<Record<string, NonNullable<ModelSchema['check']>>>;
  /** Imports a model's code (`build.ts`). */
  readonly builders: Readonly<Record<string, () => Promise<Model['build']>>>;
}

/** A catalog of the models in these folders. Throws `internal.bug` for a folder without a builder. */
export function catalogOf({ schemas, machineRules, builders }: ModelFolders): ModelCatalog {
  const found = Object.entries(schemas).map(([file, model]) => {
    const folder = file.replace(/schema\.ts$/, '');
    const builder = builders[`${folder}build.ts`];
    if (builder === undefined) throw new ArmatureError('internal.bug', `${folder} has no build.ts.`);
    return entryOf(model, machineRules[`${folder}machine-rules.ts`], builder);
  });
  const entries = inOrder(found);
  const byKey = new Map(entries.map((entry) => [`${entry.api} ${entry.model}`, entry]));
  const apiNames = [...new Set(entries.map(({ api }) => api))].sort();
  return {
    entries: () => entries,
    find: (api, model) => byKey.get(`${api} ${model}`),
    apis: () => apiNames,
  };
}

function entryOf(
  model: ModelSchema,
  machineRules: ModelSchema['check'],
  builder: () => Promise<Model['build']>,
): CatalogEntry & ModelSchema {
  const { schema } = model;
  const { properties = {} } = schema;
  return {
    ...model,
    ...(machineRules && { check: (attributes) => [...(model.check?.(attributes) ?? []), ...machineRules(attributes)] }),
    inPlace: Object.keys(properties).filter((key) => properties[key]?.['x-in-place'] === true),
    isActuator: movingApis.has(model.api),
    dependencies: (attributes) => dependenciesIn(schema, attributes),
    load: once(async () => ({ build: await builder() })),
  };
}

/** The dependencies of an instance: the resources named by attributes that the schema marks as names. */
function dependenciesIn(schema: JsonSchema, attributes: JsonObject): Dependencies {
  const required = referencesIn(schema, attributes).map(({ name }) => name);
  return required.length === 0 ? noDependencies : { required, optional: [] };
}

/** Imports a model's code once. Repeating `import()` would take longer than building most models. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    (loading ??= load().catch((thrown: unknown) => {
      loading = undefined; // not cached: the graph retries, and the file may be back by then
      throw thrown;
    }));
}
