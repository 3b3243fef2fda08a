import type { JsonSchema } from '../../proto/config/schema/json-schema.ts';
import type { JsonObject, JsonValue } from '../apis/resource.ts';

declare const typed: unique symbol;

/** A schema whose attributes have a type that cannot be derived from the schema. Made by {@link typedSchema}. */
export type TypedSchema<T> = JsonSchema & { readonly [typed]: T };

/** Sets the type of a schema's attributes by hand: for `oneOf`, `anyOf`, or an existing type. */
export function typedSchema<T>(schema: JsonSchema): TypedSchema<T> {
  return schema as TypedSchema<T>;
}

/**
 * The type of the values that a schema allows, derived from `type`, `enum`, `const`, `properties`, `required` and
 * `items`.
 */
export type FromSchema<S> = S extends { readonly [typed]: infer T }
  ? T
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly enum: readonly (infer E)[] }
      ? E
      : S extends { readonly type: readonly (infer T)[] }
        ? OfType<T, S>
        : S extends { readonly type: infer T }
          ? OfType<T, S>
          : JsonValue;

type OfType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? S extends { readonly items: infer I }
            ? readonly FromSchema<I>[]
            : readonly JsonValue[]
          : T extends 'object'
            ? S extends { readonly properties: infer P }
              ? Flat<
                  { readonly [K in keyof P & RequiredOf<S>]: FromSchema<P[K]> } & {
                    readonly [K in Exclude<keyof P, RequiredOf<S>>]?: FromSchema<P[K]>;
                  }
                >
              : JsonObject
            : JsonValue;

type RequiredOf<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;
type Flat<T> = { [K in keyof T]: T[K] };
