import type { JsonSchema } from '../../proto/config/schema/json-schema.ts';
import type { JsonObject, JsonValue } from '../apis/resource.ts';

declare const typed: unique symbol;

/** A schema whose attributes have a type that the schema alone does not say. Made by {@link typedSchema}. */
export type TypedSchema<T> = JsonSchema & { readonly [typed]: T };

/** Says the type of a schema's attributes by hand: for `oneOf`, `anyOf`, or a type that exists already. */
export function typedSchema<T>(schema: JsonSchema): TypedSchema<T> {
  return schema as TypedSchema<T>;
}

/** The type of what a schema allows, as far as `type`, `enum`, `const`, `properties`, `required` and `items` say it. */
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
