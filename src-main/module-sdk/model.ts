import type { JsonSchema } from '../../proto/config/schema/json-schema.ts';
import { canonicalApi, parseTriplet } from '../../proto/config/names.ts';
import type { JsonObject } from '../apis/resource.ts';
import type { Clock } from '../base/clock.ts';
import { ArmatureError } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { FromSchema } from './attribute-types.ts';
import type { Authored, BuiltinApi, BuiltinResources, Dependency } from './builtin-resources.ts';
import type { CustomApi } from './custom-api.ts';

/**
 * Names of the resources that an instance needs, short or full. Undefined names are ignored, so optional attributes can
 * be listed.
 */
export interface ModelDependencies {
  /** These are ready before the instance is built. */
  readonly required?: readonly (string | undefined)[];
  /** Passed to the instance if they exist. The instance is rebuilt when one appears or disappears. */
  readonly optional?: readonly (string | undefined)[];
}

/** What an instance is built from. */
export interface ModelContext<A = JsonObject> {
  /** Short name of the instance. */
  readonly name: string;
  /** As configured, checked against the model's schema. */
  readonly attributes: A;
  /** Writes to the machine's log, under the name of the resource. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Aborts when the instance is closed or its build is given up: everything that it started must end. */
  readonly signal: AbortSignal;
  /**
   * Another resource of the machine, by a name that `dependencies` returned.
   * @throws {ArmatureError} `resource.not_found` for a name that `dependencies` did not return
   */
  readonly dependency: <K extends BuiltinApi>(api: K, name: string) => Dependency<BuiltinResources[K]>;
  /** The same, or undefined if it does not exist. */
  readonly optionalDependency: <K extends BuiltinApi>(
    api: K,
    name: string,
  ) => Dependency<BuiltinResources[K]> | undefined;
}

/** An API of the program by its triplet, or one of the author's own. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the resource of an API is whatever its handlers take
export type AnyApi = BuiltinApi | CustomApi<any>;

/** The type of instance that a model of an API builds. */
export type InstanceOf<P extends AnyApi> = P extends BuiltinApi
  ? Authored<BuiltinResources[P]>
  : P extends CustomApi<infer R>
    ? R & object
    : never;

type AttributesOf<S> = [S] extends [JsonSchema] ? FromSchema<S> : JsonObject;

/** A model as its author writes it; see {@link defineModel}. */
export interface ModelDefinition<P extends AnyApi, S extends JsonSchema | undefined, I extends InstanceOf<P>> {
  /** `core:component:sensor`, or the result of `defineApi`. */
  readonly api: P;
  /** Triplet `namespace:module:model`. */
  readonly model: string;
  /**
   * JSON Schema (draft 2020-12) of the attributes; their type is derived from it. If absent, all attributes are
   * allowed.
   */
  readonly attributes?: S;
  /** Checks what the schema cannot express. Returns a sentence for each problem, naming the attribute. */
  check?(attributes: AttributesOf<S>): readonly string[] | Promise<readonly string[]>;
  dependencies?(attributes: AttributesOf<S>): ModelDependencies;
  /**
   * Builds an instance. If it throws, the error is shown as the reason why the resource is not available, and the build
   * is retried.
   */
  build(context: ModelContext<AttributesOf<S>>): Promise<I> | I;
  /**
   * Changes the attributes of an instance without interruption. If it throws, the instance stays as it was and is
   * rebuilt. A model without this method is always rebuilt.
   */
  reconfigure?(instance: I, context: ModelContext<AttributesOf<S>>): Promise<void> | void;
}

/** A model without type parameters, as {@link runModule} takes it. */
export interface Model<I extends object = object> {
  readonly api: string;
  readonly model: string;
  readonly customApi: CustomApi<object> | undefined;
  readonly schema: JsonSchema | undefined;
  check(attributes: JsonObject): Promise<readonly string[]>;
  dependencies(attributes: JsonObject): { readonly required: readonly string[]; readonly optional: readonly string[] };
  build(context: ModelContext): Promise<I>;
  readonly reconfigure: ((instance: object, context: ModelContext) => Promise<void>) | undefined;
}

/**
 * Defines a model. Its types are derived from `api` and the schema in `attributes`.
 * @throws {ArmatureError} `call.bad_argument` for an API or a model name that is not a triplet
 */
export function defineModel<
  const P extends AnyApi,
  const S extends JsonSchema | undefined = undefined,
  I extends InstanceOf<P> = InstanceOf<P>,
>(definition: ModelDefinition<P, S, I>): Model<I> {
  const { attributes, model } = definition;
  const customApi = typeof definition.api === 'string' ? undefined : (definition.api as CustomApi<object>);
  const written = typeof definition.api === 'string' ? definition.api : definition.api.api;
  const api = canonicalApi(written);
  if (api === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `api is "${written}"; write namespace:component:name or namespace:service:name.`,
    );
  }
  if (parseTriplet(model) === undefined) {
    throw new ArmatureError(
      'call.bad_argument',
      `model is "${model}"; write namespace:module:model, as in acme:weather:thermometer.`,
    );
  }
  // The schema is checked before any of these is called, so the attributes have the right type.
  const typed = (values: JsonObject): AttributesOf<S> => values as AttributesOf<S>;
  const contextOf = (context: ModelContext): ModelContext<AttributesOf<S>> =>
    context as ModelContext<unknown> as ModelContext<AttributesOf<S>>;
  return {
    api,
    model,
    customApi,
    schema: attributes,
    check: async (values) => (await definition.check?.(typed(values))) ?? [],
    dependencies(values) {
      const { required = [], optional = [] } = definition.dependencies?.(typed(values)) ?? {};
      return { required: namesIn(required), optional: namesIn(optional) };
    },
    build: async (context) => definition.build(contextOf(context)),
    reconfigure:
      definition.reconfigure === undefined
        ? undefined
        : async (instance, context) => definition.reconfigure?.(instance as I, contextOf(context)),
  };
}

function namesIn(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
}
