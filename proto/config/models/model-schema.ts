import type { FromSchema } from 'json-schema-to-ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { AttributeProblem } from './attribute-problem.ts';

/** What a person choosing a model, a form and a validator need to know of it. */
export interface ModelSummary {
  /** `core:component:motor`. */
  readonly api: string;
  /** Triplet in our spelling, `core:builtin:gpio`. */
  readonly model: string;
  /** One line for a person choosing a model. */
  readonly summary: string;
  /** JSON Schema of `attributes`. */
  readonly schema: JsonSchema;
  /** Rules that a schema cannot express. Attributes have passed the schema. */
  check?(attributes: Readonly<Record<string, unknown>>): readonly AttributeProblem[];
}

/** A model that needs no module, as both the machine and the window read it. */
export interface ModelSchema extends ModelSummary {
  /** Where it stands among the models that a person may choose from: the smallest number is first. Each has its own. */
  readonly order: number;
  /**
   * Whether a second instance may be built while the first still runs, because it owns no hardware that only one can
   * have. Then a rebuild for its own configuration leaves no gap.
   */
  readonly mayCoexist: boolean;
}

/** Models by `order`. */
export function inOrder<M extends ModelSchema>(models: readonly M[]): readonly M[] {
  return models.toSorted((one, other) => one.order - other.order);
}

type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

/** Values that pass a schema. Properties with a default are optional: nothing fills them in. */
export type ValueOf<S extends JsonSchema> = Immutable<FromSchema<S, { keepDefaultedPropertiesOptional: true }>>;
